import { useQuery } from '@tanstack/react-query'
import { quantitiesQuery, rulesQuery } from '../../api/alerts'
import type { AlertOut, RuleOut } from '../../api/types'
import { ruleWords } from '../../domain/alerts/words'

/** The rule of an alert as it is now, and at what it fires in words; nothing while it is read, or where it was removed. */
export function useRuleOf({ rule_id }: Pick<AlertOut, 'rule_id'>): { rule: RuleOut | undefined; limit: string | null } {
  const { data: rules } = useQuery(rulesQuery())
  const { data: quantities } = useQuery(quantitiesQuery())
  const rule = rules?.find(({ id }) => id === rule_id)
  const units = new Map(quantities?.map(({ quantity, unit }) => [quantity, unit]))
  return { rule, limit: rule === undefined || quantities === undefined ? null : ruleWords(rule, units) }
}
