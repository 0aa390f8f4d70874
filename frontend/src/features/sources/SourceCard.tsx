/** One source: state, streams, clocks, what is wrong and what is missing. */

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useSession } from '../../api/session'
import type { SourceOut } from '../../api/types'
import { Card } from '../../components/Card'
import { Icon } from '../../components/Icon'
import { Name } from '../../components/Name'
import { SourceMark } from '../../components/SourceMark'
import { Worded } from '../../components/Worded'
import { usePreferences } from '../../lib/preferences'
import { plural, streamName } from '../../lib/text'
import { formatInstant, formatOffset } from '../../lib/time'
import { SourceHistory } from './SourceHistory'
import styles from './SourcesPage.module.css'
import { StreamsTable } from './StreamsTable'

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
      <Button size="xs" variant="default" onClick={onEdit} aria-label={`Change or test ${source.name}`}>
        Change or test
      </Button>
      <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove ${source.name}`}>
        Remove
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
      <StreamsTable source={source} />
      <div className={styles.more}>
        <Button size="xs" variant="subtle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? 'Hide gaps and runs'
            : `Gaps and runs${source.open_gaps > 0 ? ` (${plural(source.open_gaps, 'open gap')})` : ''}`}
        </Button>
      </div>
      {isOpen && <SourceHistory id={source.id} />}
    </Card>
  )
}

function SourceFacts({ source }: { source: SourceOut }) {
  const clocks = source.clocks.filter((clock) => clock.subject === null)
  const facts: [string, string][] = [
    ['Kind', KINDS[source.kind] ?? source.kind],
    ['Address', String(source.settings.address ?? 'not set')],
    ...(source.version === null ? [] : ([['Version', source.version]] as [string, string][])),
    ...(source.identity === null ? [] : ([['Identity', source.identity]] as [string, string][])),
    ...clocks.map((clock): [string, string] => ['Clock', `${formatOffset(clock.offset_s, clock.error_s)} to Gavel’s`]),
    ...hostClocks(source),
    ...(Object.keys(source.entities).length === 0
      ? []
      : ([['Knows', inventory(source.entities)]] as [string, string][])),
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}: </dt>
          <dd className="numeric">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const KINDS: Record<string, string> = { flasharray: 'FlashArray', vcenter: 'vCenter' }

const NOUNS: Record<string, [string, string]> = {
  array_host: ['array host', 'array hosts'],
  esxi_host: ['host', 'hosts'],
  host_device: ['device', 'devices'],
  vm: ['VM', 'VMs'],
  vm_disk: ['virtual disk', 'virtual disks'],
}

/** "11 volumes, 1 pod". */
function inventory(entities: SourceOut['entities']): string {
  return Object.entries(entities)
    .map(([kind, count]) => plural(count, ...(NOUNS[kind] ?? [streamName(kind), `${streamName(kind)}s`])))
    .join(', ')
}

/** The spread of the hosts' own clocks: samples are stamped by them. */
function hostClocks(source: SourceOut): [string, string][] {
  const offsets = source.clocks.filter((clock) => clock.subject !== null).map((clock) => clock.offset_s)
  if (offsets.length === 0) return []
  const signed = (offset: number) => `${offset < 0 ? '−' : '+'}${Math.abs(offset).toFixed(2)}`
  return [['Host clocks', `${signed(Math.min(...offsets))} to ${signed(Math.max(...offsets))} s`]]
}

function SourceNotes({ source }: { source: SourceOut }) {
  const { zone } = usePreferences()
  if (source.error_message === null && source.warnings.length === 0) return null
  const since = source.error_since === null ? '' : ` since ${formatInstant(Date.parse(source.error_since), zone)}`
  return (
    <div className={styles.notes}>
      {source.error_message !== null && (
        <div className={`${styles.note} ${styles.failure}`} role="alert">
          <Icon name="warning" />
          <p>
            <strong>Failing{since}.</strong> <Worded>{source.error_message}</Worded>
          </p>
        </div>
      )}
      {source.warnings.map((warning) => (
        <div key={warning} className={styles.note}>
          <Icon name="warning" />
          <p>
            <Worded>{warning}</Worded>
          </p>
        </div>
      ))}
    </div>
  )
}
