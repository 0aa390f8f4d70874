/** What a finding says, about what, how bad, how sure, since when, and who accepted it. */

import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { reopenFinding } from '../../api/findings'
import { useSession } from '../../api/session'
import type { FindingDetail } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import { ReadOnlyHint } from '../../domain/access/ReadOnlyHint'
import { acceptedWords, findingMark } from '../../domain/findings/words'
import { EntityLink } from '../../domain/object/EntityLink'
import { confidenceLabel } from '../../domain/severity/confidence'
import { SEVERITIES } from '../../domain/severity/severity'
import { StateMark } from '../../kit/mark/StateMark'
import { onPress, useAhead } from '../../kit/schedule/onPress'
import { Failure } from '../../kit/state/Failure'
import { usePreferences } from '../../lib/preferences'
import { visibleName } from '../../lib/text'
import { formatInstant } from '../../lib/time'

const AcceptDialog = onPress(async () => (await import('./AcceptDialog')).AcceptDialog)

export function FindingHead({ finding }: { finding: FindingDetail }) {
  const { zone } = usePreferences()
  const instant = (at: string) => <span className="numeric">{formatInstant(Date.parse(at), zone)}</span>
  const facts: [string, ReactNode][] = [
    [findingsCopy.object, <EntityLink key="object" to={finding.object} />],
    [findingsCopy.rule, finding.rule_title],
    [findingsCopy.raised, instant(finding.raised_at)],
    [findingsCopy.lastSeen, instant(finding.seen_at)],
  ]
  return (
    <>
      <header className="stack gap-6">
        <h1 className="page-title">{visibleName(finding.title)}</h1>
        <p className="flex wrap gap-wrap">
          <StateMark {...findingMark(finding, zone)} />
          {finding.state !== 'open' && <span className="muted">{SEVERITIES[finding.severity].word}</span>}
          <span className="muted">{confidenceLabel(finding.confidence)}</span>
        </p>
        {finding.cause !== '' && (
          <p className="breaks pretty" style={{ maxWidth: '90ch' }}>
            {visibleName(finding.cause)}
          </p>
        )}
        <dl className="facts">
          {facts.map(([term, value]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </header>
      {finding.accepted !== null && (
        <p className="note">
          <strong>{acceptedWords(finding.accepted, zone)}</strong> {visibleName(finding.accepted.why)}
        </p>
      )}
      <ReadOnlyHint todo={findingsCopy.todo} />
      <Actions finding={finding} />
    </>
  )
}

function Actions({ finding }: { finding: FindingDetail }) {
  useAhead(AcceptDialog)
  const { isAdmin } = useSession()
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const withdraw = useMutation({
    mutationFn: () => reopenFinding(finding.id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['findings'] }),
  })
  if (finding.state === 'cleared') return null
  return (
    <div className="flex wrap gap-8">
      {finding.state === 'accepted' ? (
        <Button variant="default" disabled={!isAdmin} loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
          {findingsCopy.withdraw}
        </Button>
      ) : (
        <Button variant="default" disabled={!isAdmin} onClick={() => setOpen(true)}>
          {findingsCopy.accept}
        </Button>
      )}
      <Failure title={findingsCopy.withdrawFailed} error={withdraw.error} />
      {isOpen && <AcceptDialog finding={finding} onClose={() => setOpen(false)} />}
    </div>
  )
}
