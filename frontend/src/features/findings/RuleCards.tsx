/** What the rule of a finding looks for and cannot see, where that is documented, and how the finding's state changed. */

import type { FindingDetail } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import { STATE_WORDS } from '../../domain/findings/words'
import { Card } from '../../kit/layout/Card'
import { columnWidths } from '../../kit/layout/columns'
import { usePreferences } from '../../lib/preferences'
import { capitalized, visibleName } from '../../lib/text'
import { formatInstant } from '../../lib/time'

export function RuleCard({ finding }: { finding: FindingDetail }) {
  const { raised_when, cleared_when, blind_spots, references } = finding
  return (
    <Card title={findingsCopy.aboutRule} hint={finding.rule_title}>
      <dl className="columns gap-wrap" style={columnWidths('130px minmax(0, 90ch)', 'minmax(0, 1fr)')}>
        <dt className="muted">{findingsCopy.raisedWhen}</dt>
        <dd className="narrow breaks">{capitalized(raised_when)}</dd>
        <dt className="muted">{findingsCopy.clearedWhen}</dt>
        <dd className="narrow breaks">{capitalized(cleared_when)}</dd>
        {blind_spots.length > 0 && (
          <>
            <dt className="muted">{findingsCopy.blindSpots}</dt>
            <dd className="narrow breaks">
              <ul className="list grid breaks gap-4">
                {blind_spots.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {references.length > 0 && (
          <>
            <dt className="muted">{findingsCopy.references}</dt>
            <dd className="narrow breaks">
              <ul className="list grid breaks gap-4">
                {references.map((one) => (
                  <li key={one.title}>
                    <Reference reference={one} />
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
    </Card>
  )
}

function Reference({ reference: { title, url, date } }: { reference: FindingDetail['references'][number] }) {
  const words = date === '' ? title : findingsCopy.referenceDate(title, date)
  if (url === '') return <>{words}</>
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {words}
    </a>
  )
}

export function HistoryCard({ history }: { history: FindingDetail['history'] }) {
  const { zone } = usePreferences()
  if (history.length === 0) return null
  return (
    <Card title={findingsCopy.history}>
      <ol className="list grid breaks gap-4">
        {history.map(({ at, before, after, by, note }) => (
          <li key={`${at} ${after}`}>
            <span className="numeric muted">{formatInstant(Date.parse(at), zone)}</span>{' '}
            {before === null ? STATE_WORDS[after] : findingsCopy.change(STATE_WORDS[before], STATE_WORDS[after])}{' '}
            <span className="muted">{by === '' ? findingsCopy.byItself : findingsCopy.by(visibleName(by))}</span>
            {note !== '' && <span> {visibleName(note)}</span>}
          </li>
        ))}
      </ol>
    </Card>
  )
}
