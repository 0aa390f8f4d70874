/** The raw numbers behind a verdict, hosts and array side by side: counter, unit, precision, source, time. */

import { type ReactNode, useEffect, useMemo } from 'react'
import type { Evidence } from '../../api/types'
import { usePreferences } from '../../lib/preferences'
import { plural } from '../../lib/text'
import { formatClock, type Zone } from '../../lib/time'
import { formatPrecision } from '../../lib/units'
import { Card } from '../Card'
import { EmptyState } from '../DataState'
import { Names } from '../entity/Names'
import { Name } from '../Name'
import { Quantity } from '../Quantity'
import { type Column, VirtualTable } from '../table/VirtualTable'
import styles from './Evidence.module.css'
import { EVIDENCE, goToEvidence, isEvidenceAsked, leadOf, SIDES, sourcesOf } from './evidenceSides'

/** Two lines: the number and its counter, its value and its steps, its object and its source. */
const ROW_PX = 52
/** On phones whose number it is stands below it, and below that until when. */
const NARROW_ROW_PX = 106

export function EvidenceCard({ evidence }: { evidence: readonly Evidence[] }) {
  const { zone } = usePreferences()
  const columns = useMemo(() => evidenceColumns(zone), [zone])
  useEffect(() => {
    if (isEvidenceAsked()) goToEvidence()
  }, [])
  return (
    <Card
      title="Evidence"
      hint="the raw numbers of both sides behind this verdict, means over its window"
      anchor={EVIDENCE}
      flush
    >
      {evidence.length === 0 ? (
        <EmptyState title="No raw numbers in this window" text="Nothing was read from either side in it." />
      ) : (
        <div className={styles.sides}>
          {SIDES.map(({ side, title, nothing }) => {
            const own = evidence.filter((one) => one.side === side)
            return (
              <div key={side} className={styles.side}>
                <h3 className={styles.title}>
                  {title} <span className={styles.count}>{plural(own.length, 'number')}</span>
                </h3>
                {own.length === 0 ? (
                  <p className={styles.nothing}>{nothing}</p>
                ) : (
                  <VirtualTable
                    label={`Evidence: ${title}`}
                    columns={columns}
                    count={own.length}
                    rowAt={(index) => own[index]}
                    rowPx={ROW_PX}
                    narrowRowPx={NARROW_ROW_PX}
                    whole
                  />
                )}
              </div>
            )
          })}
        </div>
      )}
    </Card>
  )
}

function evidenceColumns(zone: Zone): Column<Evidence>[] {
  return [
    {
      id: 'label',
      header: 'Number, counter',
      width: 150,
      grow: true,
      from: 700,
      cell: (one) => <NumberLines one={one} />,
    },
    {
      id: 'label-and-subject',
      header: 'Number, counter, source',
      width: 200,
      grow: true,
      narrowOnly: true,
      cell: (one) => (
        <NumberLines one={one}>
          <span className={styles.origin}>
            <Names lead={leadOf(one)} names={[one.subject.name]} between="" />
          </span>
          <span className={styles.origin}>
            <Names names={sourcesOf(one)} between=" + " />
          </span>
          <span className={`${styles.origin} numeric`}>until {formatClock(Date.parse(one.at), zone)}</span>
        </NumberLines>
      ),
    },
    {
      id: 'value',
      header: 'Value, steps of',
      width: 116,
      narrow: 124,
      align: 'right',
      cell: ({ value, unit, precision, counter }) => (
        <span className={styles.lines}>
          <Quantity value={value} unit={unit} precision={precision} origin={counter} />
          <span className={`${styles.origin} numeric`}>{formatPrecision(precision, unit)}</span>
        </span>
      ),
    },
    {
      id: 'subject',
      header: 'Of, source',
      width: 150,
      from: 700,
      cell: (one) => (
        <span className={styles.lines}>
          <Names lead={leadOf(one)} names={[one.subject.name]} between="" />
          <span className={styles.origin}>
            <Names names={sourcesOf(one)} between=" + " />
          </span>
        </span>
      ),
    },
    {
      id: 'at',
      header: 'Until',
      width: 68,
      align: 'right',
      from: 700,
      cell: ({ at }) => <span className="numeric">{formatClock(Date.parse(at), zone)}</span>,
    },
  ]
}

function NumberLines({ one, children }: { one: Evidence; children?: ReactNode }) {
  return (
    <span className={styles.lines}>
      <Name focusable>{numberWords(one)}</Name>
      <span className={styles.origin}>
        <Name focusable>{one.counter}</Name>
      </span>
      {children}
    </span>
  )
}

/** The depth of anything but one device is a sum, which the counter's own name does not say. */
function numberWords({ name, label, subject }: Evidence): string {
  return name === 'queue_depth' && subject.kind !== 'device' ? `${label}, all its devices` : label
}
