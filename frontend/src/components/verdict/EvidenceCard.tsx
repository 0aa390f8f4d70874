/** The raw numbers behind a verdict, array and hosts side by side: counter, unit, precision, source, time. */

import { useMemo } from 'react'
import type { Evidence } from '../../api/types'
import { useMediaMatch, usePreferences } from '../../lib/preferences'
import { formatClock } from '../../lib/time'
import { formatPrecision } from '../../lib/units'
import { Card } from '../Card'
import { EmptyState } from '../DataState'
import { Name } from '../Name'
import { Quantity } from '../Quantity'
import { type Column, VirtualTable } from '../table/VirtualTable'

const SIDES: Record<Evidence['side'], string> = { array: 'Array', host: 'Host side' }

const NARROW_ORDER = ['label', 'value', 'side', 'subject']

function narrowPlace({ id }: { id: string }): number {
  const place = NARROW_ORDER.indexOf(id)
  return place < 0 ? NARROW_ORDER.length : place
}

export function EvidenceCard({ evidence }: { evidence: readonly Evidence[] }) {
  const { zone } = usePreferences()
  const isNarrow = useMediaMatch('(max-width: 699px)')
  const columns = useMemo(() => {
    const all: Column<Evidence>[] = [
      { id: 'side', header: 'Side', width: 96, cell: ({ side }) => SIDES[side] },
      {
        id: 'subject',
        header: 'Of',
        width: 170,
        cell: ({ subject }) => <Name focusable>{subject.name}</Name>,
      },
      { id: 'label', header: 'Number', width: 190, narrow: 170, cell: ({ label }) => <Name focusable>{label}</Name> },
      {
        id: 'value',
        header: 'Value',
        width: 116,
        narrow: 96,
        align: 'right',
        cell: ({ value, unit, precision, counter }) => (
          <Quantity value={value} unit={unit} precision={precision} origin={counter} />
        ),
      },
      {
        id: 'precision',
        header: 'Steps of',
        width: 92,
        align: 'right',
        cell: ({ precision, unit }) => <span className="numeric">{formatPrecision(precision, unit)}</span>,
      },
      {
        id: 'counter',
        header: 'Counter',
        width: 300,
        grow: true,
        cell: ({ counter }) => <Name focusable>{counter}</Name>,
      },
      { id: 'source', header: 'Source', width: 120, cell: ({ source }) => <Name focusable>{source}</Name> },
      {
        id: 'at',
        header: 'Until',
        width: 84,
        align: 'right',
        cell: ({ at }) => <span className="numeric">{formatClock(Date.parse(at), zone)}</span>,
      },
    ]
    // What is beyond the edge of a phone is read last: the number and its value come first there.
    return isNarrow ? [...all].sort((a, b) => narrowPlace(a) - narrowPlace(b)) : all
  }, [zone, isNarrow])
  return (
    <Card title="Evidence" hint="the raw numbers of both sides behind this verdict, means over its window" flush>
      {evidence.length === 0 ? (
        <EmptyState title="No raw numbers in this window" text="Nothing was read from either side in it." />
      ) : (
        <VirtualTable label="Evidence" columns={columns} count={evidence.length} rowAt={(index) => evidence[index]} />
      )}
    </Card>
  )
}
