/** One source: state, streams, clocks, what is wrong and what is missing. */

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../../api/session'
import type { SourceOut } from '../../api/types'
import * as commonCopy from '../../copy/common'
import * as sourcesCopy from '../../copy/sources'
import { SourceMark } from '../../domain/sources/SourceMark'
import { Card } from '../../kit/layout/Card'
import { Icon } from '../../kit/mark/Icon'
import { StateMark } from '../../kit/mark/StateMark'
import { Name } from '../../kit/text/Name'
import { Worded } from '../../kit/text/Worded'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatInstant, formatOffset } from '../../lib/time'
import { SourceHistory } from './SourceHistory'
import styles from './SourcesPage.module.css'
import { StreamsTable } from './StreamsTable'
import { SwitchedOff } from './SwitchedOff'
import { clockMark, hostClocks, inventory, owedWords } from './sourceWords'

interface SourceCardProps {
  source: SourceOut
  onEdit: () => void
  onRemove: () => void
}

export function SourceCard({ source, onEdit, onRemove }: SourceCardProps) {
  const { isAdmin } = useSession()
  const [isOpen, setOpen] = useState(false)
  const actions = isAdmin && (
    <>
      <Button size="xs" variant="default" onClick={onEdit} aria-label={commonCopy.editNamed(source.name)}>
        {commonCopy.edit}
      </Button>
      <Button size="xs" variant="default" onClick={onRemove} aria-label={commonCopy.removeNamed(source.name)}>
        {commonCopy.remove}
      </Button>
    </>
  )
  return (
    <Card
      title={<Name whole>{source.name}</Name>}
      hint={<SourceMark state={source.state} />}
      actions={actions || undefined}
      flush
    >
      <SourceFacts source={source} />
      <SourceNotes source={source} />
      {!source.enabled && <SwitchedOff source={source} />}
      <StreamsTable source={source} />
      <div className={`${styles.more} ruled`}>
        <Button
          size="xs"
          variant="subtle"
          aria-expanded={isOpen}
          leftSection={
            <span className="arrow inline" data-open={isOpen}>
              <Icon name="right" size={14} />
            </span>
          }
          onClick={() => setOpen(!isOpen)}
        >
          {sourcesCopy.gapsAndRuns(source.open_gaps > 0 ? ` (${plural(source.open_gaps, sourcesCopy.openGap)})` : '')}
        </Button>
      </div>
      {isOpen && <SourceHistory id={source.id} />}
    </Card>
  )
}

/** Term, value and, where it needs a look, why. */
type Fact = [string, string, (string | null)?]

function SourceFacts({ source }: { source: SourceOut }) {
  const clocks = source.clocks.filter((clock) => clock.subject === null)
  const hosts = hostClocks(source.clocks)
  const facts: Fact[] = [
    [commonCopy.type, source.kind_title],
    [sourcesCopy.address, String(source.settings.address ?? sourcesCopy.notSet)],
    ...(source.version === null ? [] : ([[sourcesCopy.version, source.version]] as Fact[])),
    ...(source.identity === null ? [] : ([[sourcesCopy.identity, source.identity]] as Fact[])),
    ...clocks.map(
      (clock): Fact => [
        sourcesCopy.clockSkew,
        sourcesCopy.skewToGavel(formatOffset(clock.offset_s, clock.error_s)),
        clockMark(clock),
      ],
    ),
    ...(hosts === null
      ? []
      : ([[sourcesCopy.hostClockSkew, sourcesCopy.skewToGavel(hosts.words), hosts.mark]] as Fact[])),
    ...(Object.keys(source.entities).length === 0
      ? []
      : ([[sourcesCopy.inventory, inventory(source.entities)]] as Fact[])),
  ]
  return (
    <dl className="facts size-label inset-below">
      {facts.map(([term, value, mark]) => (
        <div key={term}>
          <dt>{term}: </dt>
          <dd className="numeric">{value}</dd>
          {mark && (
            <dd>
              <StateMark tone="warn" word={mark} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

function SourceNotes({ source }: { source: SourceOut }) {
  const { zone } = usePreferences()
  if (source.error_message === null && source.warnings.length === 0) return null
  const owed = owedWords(source, zone)
  const since =
    source.error_since === null ? '' : sourcesCopy.sinceInstant(formatInstant(Date.parse(source.error_since), zone))
  return (
    <div className="grid inset-below gap-8">
      {source.error_message !== null && (
        <div className="note flex gap-10" data-tone="bad" role="alert">
          <Icon name="warning" />
          <p>
            <strong>
              {sourcesCopy.failing}
              {since}.
            </strong>{' '}
            <Worded>{source.error_message}</Worded>
            {owed !== null && <span className={styles.owed}>{owed}</span>}
          </p>
        </div>
      )}
      {source.warnings.map((warning) => (
        <div key={warning} className="note flex gap-10" data-tone="warn">
          <Icon name="warning" />
          <p>
            <Worded>{warning}</Worded>
          </p>
        </div>
      ))}
    </div>
  )
}
