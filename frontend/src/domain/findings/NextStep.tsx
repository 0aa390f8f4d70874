/** What to do about a cause: the first advice of the open finding with the same threshold, or of its kind, and the way to all of it. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ALL_FINDINGS, type FindingSubject, findingsQuery } from '../../api/findings'
import * as findingsCopy from '../../copy/findings'
import { visibleName } from '../../lib/text'
import styles from './Findings.module.css'

interface NextStepProps {
  /** Id of the finding's rule; null: no rule has this threshold. */
  rule: string | null
  of: { kind: FindingSubject; id: number } | undefined
  /** What to do first of its kind of cause, without a full stop. */
  action: string
}

export function NextStep({ rule, of, action }: NextStepProps) {
  const { kind, id } = of ?? {}
  const isAsked = rule !== null && kind !== undefined && id !== undefined
  const params = useMemo(
    () => ({
      ...ALL_FINDINGS,
      states: ['open'] as const,
      rule: rule ?? '',
      of: kind && id !== undefined ? { kind, id } : null,
    }),
    [rule, kind, id],
  )
  const query = useQuery({ ...findingsQuery(params), enabled: isAsked })
  // One line, and not first one and then another.
  if (isAsked && query.isPending) return null
  const [first] = isAsked ? (query.data?.items ?? []) : []
  return (
    <p className={`${styles.step} breaks pretty`}>
      <strong>{findingsCopy.nextStep}</strong> {visibleName(first?.advice ?? action)}.{' '}
      {first && <Link to={`/findings/${first.id}` as string}>{findingsCopy.allAdvice}</Link>}
    </p>
  )
}
