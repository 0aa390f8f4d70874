/** The raw numbers behind a diagnosis, hosts and array side by side: counter, unit, precision, source, time. */

import { Fragment, useEffect, useMemo } from 'react'
import type { Evidence } from '../../api/types'
import * as countersCopy from '../../copy/counters'
import { Card } from '../../kit/layout/Card'
import { EmptyState } from '../../kit/state/DataState'
import type { Column } from '../../kit/table/Column'
import { VirtualTable } from '../../kit/table/VirtualTable'
import { Name } from '../../kit/text/Name'
import { Names } from '../../kit/text/Names'
import { Quantity } from '../../kit/text/Quantity'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatClock, type Zone } from '../../lib/time'
import { formatPrecision } from '../../lib/units'
import styles from './Evidence.module.css'
import {
  EVIDENCE,
  goToEvidence,
  isEvidenceAsked,
  isSameOrigin,
  leadOf,
  SIDES,
  type SideWords,
  usualOf,
} from './evidenceSides'

/** Two lines: the number and its counter, its value and its steps, its object and its source. */
const ROW_PX = 52

export function EvidenceCard({ evidence }: { evidence: readonly Evidence[] }) {
  useEffect(() => {
    if (isEvidenceAsked()) goToEvidence()
  }, [])
  return (
    <Card title={countersCopy.evidence} hint={countersCopy.evidenceHint} anchor={EVIDENCE} flush>
      {evidence.length === 0 ? (
        <EmptyState title={countersCopy.noCounters} text={countersCopy.noCountersText} />
      ) : (
        <div className={`${styles.sides} stack`}>
          {SIDES.map((words) => (
            <Side key={words.side} words={words} own={evidence.filter(({ side }) => side === words.side)} />
          ))}
        </div>
      )}
    </Card>
  )
}

function Side({ words: { title, nothing }, own }: { words: SideWords; own: readonly Evidence[] }) {
  const { zone } = usePreferences()
  const usual = useMemo(() => usualOf(own), [own])
  const columns = useMemo(() => evidenceColumns(zone, usual), [zone, usual])
  return (
    <div className={`${styles.side} narrow`}>
      <h3 className="inset size-label semibold ruled">
        {title} <span className="muted regular">{plural(own.length, countersCopy.counterNoun)}</span>
      </h3>
      {own.length === 0 ? (
        <p className="inset muted">{nothing}</p>
      ) : (
        <VirtualTable
          label={countersCopy.evidenceTable(title)}
          columns={columns}
          count={own.length}
          rowAt={(index) => own[index]}
          rowPx={ROW_PX}
          whole
          wraps
          foldedNote={usual && <Usual usual={usual} own={own} />}
        />
      )}
    </div>
  )
}

/** Whose numbers most of them are: said once above them where a table has no column for it. */
function Usual({ usual, own }: { usual: Evidence; own: readonly Evidence[] }) {
  return (
    <p className="flex wrap quiet inset-below gap-words">
      <Names lead={countersCopy.evidenceObject(leadOf(usual))} names={[usual.subject.name]} between="" />
      <Names lead={countersCopy.sourceLead} names={usual.sources.map(nameOf)} between=" + " />
      {own.some((one) => !isSameOrigin(one, usual)) && <span>{countersCopy.evidenceDefault}</span>}
    </p>
  )
}

/** `usual`: whose numbers most of them are. */
function evidenceColumns(zone: Zone, usual: Evidence | null): Column<Evidence>[] {
  return [
    {
      id: 'label',
      header: countersCopy.metricCounter,
      width: 150,
      grow: true,
      cell: (one) => <NumberLines one={one} />,
    },
    {
      id: 'value',
      header: countersCopy.valueResolution,
      width: 116,
      minWidth: 124,
      priority: 1,
      align: 'right',
      cell: ({ value, unit, precision, counter }) => (
        <span className="stack tight">
          <Quantity value={value} unit={unit} precision={precision} origin={counter} />
          <span className="narrow small numeric">{formatPrecision(precision, unit)}</span>
        </span>
      ),
    },
    {
      id: 'subject',
      header: countersCopy.objectSource,
      width: 150,
      roomyWidth: 260,
      compact: (one) => (usual !== null && isSameOrigin(one, usual) ? null : <Origin one={one} />),
      cell: (one) => <Origin one={one} />,
    },
    {
      id: 'at',
      header: countersCopy.throughHeader,
      width: 68,
      align: 'right',
      compact: ({ at }) => `${countersCopy.through} ${formatClock(Date.parse(at), zone)}`,
      cell: ({ at }) => <span className="numeric">{formatClock(Date.parse(at), zone)}</span>,
    },
  ]
}

const nameOf = ({ name }: { name: string }) => name

function Origin({ one }: { one: Evidence }) {
  return (
    <span className="stack tight">
      <Names lead={leadOf(one)} names={[one.subject.name]} between="" />
      <span className="narrow small">
        <Names names={one.sources.map(nameOf)} between=" + " />
      </span>
    </span>
  )
}

function NumberLines({ one }: { one: Evidence }) {
  return (
    <span className="stack tight">
      <Name whole>{one.label}</Name>
      <span className="narrow small">
        <Counter name={one.counter} />
      </span>
    </span>
  )
}

/** "virtualDisk.numberReadAveraged.average" breaks behind its points, "qos_usec_per_op" behind its lines. */
function Counter({ name }: { name: string }) {
  const parts = name.split(/(?<=[._])/)
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a counter keep their places
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
