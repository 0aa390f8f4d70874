/** When a rule would have fired over the last days, and from which rows that is known. */

import { useMemo } from 'react'
import type { Preview } from '../../../api/types'
import * as alertsCopy from '../../../copy/alerts'
import * as commonCopy from '../../../copy/common'
import * as rulesCopy from '../../../copy/rules'
import { countOf, formatAmount, formatLength, type Subject, type Unit } from '../../../domain/alerts/words'
import type { Column } from '../../../kit/table/Column'
import { VirtualTable } from '../../../kit/table/VirtualTable'
import { Name } from '../../../kit/text/Name'
import { usePreferences } from '../../../lib/preferences'
import { plural } from '../../../lib/text'
import { formatMoment, formatWindow, type Zone, zoneName } from '../../../lib/time'
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
  const times = total === 0 ? rulesCopy.noAlerts : plural(total, rulesCopy.alertNoun)
  return (
    <section aria-label={rulesCopy.previewResult} role="status" className="note grid above gap-4">
      <p className="title">
        {objects === 0 ? rulesCopy.nothingToPreview : rulesCopy.previewSummary(times, countOf(objects, of))}
      </p>
      {preview.spans.map((span) => (
        <p key={span.from_at} className="muted">
          {formatWindow(Date.parse(span.from_at), Date.parse(span.to_at), zone)}
          {rulesCopy.basedOn} {span.resolution === '1m' ? rulesCopy.minuteRows : rulesCopy.fiveMinuteRows}
        </p>
      ))}
      {preview.note !== null && <p>{preview.note}</p>}
      {total > 0 && <Strip preview={preview} />}
      {total > firings.length && (
        <p className="muted">
          {rulesCopy.newest} {firings.length} {rulesCopy.periodEnd}
        </p>
      )}
      {total > 0 && (
        <VirtualTable
          label={rulesCopy.firings}
          columns={columns}
          count={firings.length}
          rowAt={(index) => firings[index]}
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
  `${formatLength((ended_at === null ? to_ms : Date.parse(ended_at)) - Date.parse(fired_at))}${ended_at === null ? rulesCopy.stillOpenSuffix : ''}`

const columnsIn = (zone: Zone, unit: Unit, to_ms: number): Column<Firing>[] => [
  {
    id: 'object',
    header: commonCopy.object,
    width: 180,
    grow: true,
    cell: (one) => <Name focusable>{one.object_name}</Name>,
  },
  {
    id: 'fired',
    header: rulesCopy.firedAt(zoneName(zone)),
    width: 130,
    cell: (one) => <span className="numeric">{formatMoment(Date.parse(one.fired_at), zone)}</span>,
  },
  {
    id: 'length',
    header: alertsCopy.duration,
    width: 150,
    align: 'right',
    cell: (one) => <span className="numeric">{lasted(one, to_ms)}</span>,
  },
  {
    id: 'peak',
    header: alertsCopy.peakTerm,
    width: 120,
    align: 'right',
    cell: ({ peak }) => <span className="numeric">{formatAmount(peak, unit)}</span>,
  },
]
