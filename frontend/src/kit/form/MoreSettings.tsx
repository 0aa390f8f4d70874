/** The settings that few have to think about, folded away unless one of them was set or has to be corrected. */

import { type ReactNode, useState } from 'react'
import * as formsCopy from '../../copy/forms'
import { Fold } from '../layout/Fold'
import { type Field, isAsGiven, type Values } from './schema'

interface MoreSettingsProps {
  fields: readonly Field[]
  values: Values
  problems: ReadonlyMap<string, string>
  secretsSet: ReadonlySet<string>
  path: string
  children: ReactNode
}

export function MoreSettings({ fields, values, problems, secretsSet, path, children }: MoreSettingsProps) {
  const [isOpen, setOpen] = useState(() =>
    fields.some((field) => !isAsGiven(field, values[field.name], secretsSet.has(path + field.name))),
  )
  const isWrong = fields.some(({ name }) => hasProblem(problems, path + name))
  return (
    <Fold
      title={formsCopy.moreSettings}
      hint={isWrong ? formsCopy.invalidSetting : formsCopy.defaultsFit}
      // What has to be corrected is not hidden.
      open={isOpen || isWrong}
      onOpen={setOpen}
    >
      {children}
    </Fold>
  )
}

/** Of the field itself, or of one inside it. */
const hasProblem = (problems: ReadonlyMap<string, string>, at: string) =>
  [...problems.keys()].some((key) => key === at || key.startsWith(`${at}.`))
