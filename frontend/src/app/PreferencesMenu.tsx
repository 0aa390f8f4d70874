/** Theme, time zone and help: what belongs to the viewer; for the admin, the way to wall screens. */

import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import * as navigationCopy from '../copy/navigation'
import { useBoxButton } from '../kit/layout/boxButton'
import { Icon } from '../kit/mark/Icon'
import { standing } from '../kit/schedule/onPress'

const PreferencesBox = standing(async () => (await import('./PreferencesBox')).default)
const LABEL = navigationCopy.preferences

export function PreferencesMenu({ onHelp }: { onHelp: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const { button, carried } = useBoxButton(isOpen)
  return (
    <>
      <ActionIcon {...carried} variant="default" size="lg" aria-label={LABEL} onClick={() => setOpen(!isOpen)}>
        <Icon name="settings" />
      </ActionIcon>
      <PreferencesBox opened={isOpen} onChange={setOpen} of={button} label={LABEL} onHelp={onHelp} />
    </>
  )
}
