/** The state behind the rule form: the draft, what the server found wrong with it, preview and save. */

import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { addRule, changeRule, previewRule } from '../../../api/alertCommands'
import type { RuleOut } from '../../../api/types'
import { serverProblems } from '../../../kit/form/problems'
import { useAlertCommand } from '../useAlertCommand'
import { bodyOf, type DraftRule, draftOf, keyOf, NEW_RULE, type Quantities } from './draft'

export function useRuleForm(rule: RuleOut | null, quantities: Quantities, onDone: () => void) {
  const [draft, setDraft] = useState<DraftRule>(() => (rule === null ? NEW_RULE : draftOf(rule, quantities)))
  const save = useAlertCommand<void, unknown>(() => {
    const body = bodyOf(draft, quantities)
    return rule === null ? addRule(body) : changeRule(rule.id, body)
  }, onDone)
  const preview = useMutation({ mutationFn: () => previewRule(bodyOf(draft, quantities)) })
  const problems = useMemo(
    () => new Map([...serverProblems(preview.error), ...serverProblems(save.error)]),
    [preview.error, save.error],
  )

  /** The key follows the name until somebody gives it one of its own. */
  function setName(name: string) {
    setDraft((before) => ({ ...before, name, key: before.key === keyOf(before.name) ? keyOf(name) : before.key }))
  }

  return {
    draft,
    set: (patch: Partial<DraftRule>) => setDraft((before) => ({ ...before, ...patch })),
    setDraft,
    setName,
    problems,
    refusals: save.failureCount + preview.failureCount,
    save,
    preview,
  }
}
