/** When a rule would have fired over the last days, and from which rows that is known. */

import { useMemo } from 'react'
import type { Preview } from '../../../api/types'
import { countOf, formatAmount, formatLength, type Subject, type Unit } from '../../../components/alerts/words'
import { Name } from '../../../components/Name'
import { type Column, VirtualTable } from '../../../components/table/VirtualTable'
import { usePreferences } from '../../../lib/preferences'
import { plural } from '../../../lib/text'
import { formatMoment, formatWindow, type Zone, zoneName } from '../../../lib/time'
import styles from '../Alerts.module.css'
import { NarrowRow, narrowRowPx } from '../NarrowRow'
import own from './PreviewResult.module.css'

type Firing = Preview['firings'][number]

interface PreviewResultProps {
  preview: Preview
  of: Subject
  unit: Unit
}

export function PreviewResult({ preview, of, unit }: PreviewResultProps) {
  const { zone } = usePreferences()
  const columns = useMemo(() => columnsIn(zone, unit, Date.parse(preview.to_at)), [zone, unit, preview.to_at])
  const { firings, total, objects } = preview
  const times = total === 0 ? 'would not have fired' : `would have fired ${plural(total, 'time')}`
  return (
    <section aria-label="Result of the preview" role="status" className={styles.result}>
      <p className={styles.subtitle}>
        {objects === 0 ? 'Nothing to try it on' : `It ${times}, looking at ${countOf(objects, of)}`}
      </p>
      {preview.spans.map((span) => (
        <p key={span.from_at} className="muted">
          {formatWindow(Date.parse(span.from_at), Date.parse(span.to_at), zone)}: judged by{' '}
          {span.resolution === '1m' ? 'minutes, as alerts are' : 'rows of five minutes, each taken for five'}
        </p>
      ))}
      {preview.note !== null && <p>{preview.note}</p>}
      {total > 0 && <Strip preview={preview} />}
      {total > firings.length && <p className="muted">The newest {firings.length} are listed.</p>}
      {total > 0 && (
        <VirtualTable
          label="When it would have fired"
          columns={columns}
          count={firings.length}
          rowAt={(index) => firings[index]}
          narrowRowPx={narrowRowPx(2, false)}
        />
      )}
    </section>
  )
}

/** The days as a line, each firing as long as it would have lasted. The table says the same in words. */
function Strip({ preview: { from_at, to_at, firings } }: { preview: Preview }) {
  const [from_ms, to_ms] = [Date.parse(from_at), Date.parse(to_at)]
  const share = (at_ms: number) => Math.min(100, Math.max(0, (100 * (at_ms - from_ms)) / (to_ms - from_ms)))
  return (
    <div className={own.strip} aria-hidden="true">
      {firings.map(({ object_id, fired_at, ended_at }) => {
        const left = share(Date.parse(fired_at))
        const right = ended_at === null ? 100 : share(Date.parse(ended_at))
        return <span key={`${object_id}-${fired_at}`} style={{ left: `${left}%`, width: `${right - left}%` }} />
      })}
    </div>
  )
}

const lasted = ({ fired_at, ended_at }: Firing, to_ms: number) =>
  `${formatLength((ended_at === null ? to_ms : Date.parse(ended_at)) - Date.parse(fired_at))}${ended_at === null ? ', still open' : ''}`

const columnsIn = (zone: Zone, unit: Unit, to_ms: number): Column<Firing>[] => [
  {
    id: 'all',
    header: 'It would have fired',
    width: 240,
    grow: true,
    narrowOnly: true,
    cell: (one) => (
      <NarrowRow
        head={<Name focusable>{one.object_name}</Name>}
        lines={[
          `${formatMoment(Date.parse(one.fired_at), zone)} ${zoneName(zone)}`,
          `for ${lasted(one, to_ms)}, up to ${formatAmount(one.peak, unit)}`,
        ]}
      />
    ),
  },
  {
    id: 'object',
    header: 'Of',
    width: 180,
    from: 700,
    grow: true,
    cell: (one) => <Name focusable>{one.object_name}</Name>,
  },
  {
    id: 'fired',
    header: `Fired (${zoneName(zone)})`,
    width: 130,
    from: 700,
    cell: (one) => <span className="numeric">{formatMoment(Date.parse(one.fired_at), zone)}</span>,
  },
  {
    id: 'length',
    header: 'Lasted',
    width: 150,
    from: 700,
    align: 'right',
    cell: (one) => <span className="numeric">{lasted(one, to_ms)}</span>,
  },
  {
    id: 'peak',
    header: 'Up to',
    width: 120,
    from: 700,
    align: 'right',
    cell: ({ peak }) => <span className="numeric">{formatAmount(peak, unit)}</span>,
  },
]
