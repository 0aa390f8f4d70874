import { Switch } from '@mantine/core'
import { switchRule } from '../../../api/alertCommands'
import type { RuleOut } from '../../../api/types'
import * as rulesCopy from '../../../copy/rules'
import { useAlertCommand } from '../useAlertCommand'

interface RuleSwitchProps {
  rule: RuleOut
  disabled: boolean
  /** Told why it stays as it is; null: it does not. */
  onRefused: (error: Error | null) => void
}

/** Switches a rule on or off; shows what was chosen until the server has said so. */
export function RuleSwitch({ rule, disabled, onRefused }: RuleSwitchProps) {
  const { mutate, variables, isPending } = useAlertCommand((enabled: boolean) => switchRule(rule.id, enabled))
  return (
    <Switch
      aria-label={rulesCopy.enabledNamed(rule.name)}
      checked={isPending ? variables : rule.enabled}
      disabled={disabled}
      onChange={(event) =>
        mutate(event.currentTarget.checked, { onError: onRefused, onSuccess: () => onRefused(null) })
      }
    />
  )
}
