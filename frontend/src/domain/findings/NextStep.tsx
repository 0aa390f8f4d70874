/** What to do about a cause: the first advice of the open finding with the same threshold, and the way to all of it. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { ALL_FINDINGS, type FindingSubject, findingsQuery } from '../../api/findings'
import * as findingsCopy from '../../copy/findings'
import { visibleName } from '../../lib/text'
import styles from './Findings.module.css'

interface NextStepProps {
  /** Id of the finding's rule. */
  rule: string
  of: { kind: FindingSubject; id: number }
}

export function NextStep({ rule, of: { kind, id } }: NextStepProps) {
  const params = useMemo(
    () => ({ ...ALL_FINDINGS, states: ['open'] as const, rule, of: { kind, id } }),
    [rule, kind, id],
  )
  const [first] = useQuery(findingsQuery(params)).data?.items ?? []
  if (first === undefined) return null
  return (
    <p className={`${styles.step} breaks pretty`}>
      <strong>{findingsCopy.nextStep}</strong> {visibleName(first.advice)}.{' '}
      <Link to={`/findings/${first.id}` as string}>{findingsCopy.allAdvice}</Link>
    </p>
  )
}
