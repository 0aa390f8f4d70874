/** What a step would do, as the what-if predicts it from the minutes that the finding rests on. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AdviceTrial, WhatIf, WhatIfBody } from '../../api/types'
import { whatIfQuery } from '../../api/whatif'
import * as findingsCopy from '../../copy/findings'
import { trialSearch } from '../../domain/whatif/address'
import { between } from '../../domain/whatif/range'
import { formatIops, formatLatency, NOT_MEASURED } from '../../lib/units'

const WINDOW_MS = 10 * 60_000

interface PredictedProps {
  trial: AdviceTrial
  /** The newest evaluation that had the finding, which looked at the ten minutes before. */
  seen_at: string
}

export function Predicted({ trial: { object, settings }, seen_at }: PredictedProps) {
  const to_ms = Math.floor(Date.parse(seen_at) / 60_000) * 60_000
  const [from, to] = [to_ms - WINDOW_MS, to_ms].map((at) => new Date(at).toISOString()) as [string, string]
  const { lifts_iops_limit, ...numbers } = settings
  const scenario = { ...numbers, lifts_iops_limit: lifts_iops_limit === 1 } as WhatIfBody['scenario']
  const subject = { kind: object.kind, id: object.id, from_at: from, to_at: to } as WhatIfBody['subject']
  const { data, error } = useQuery({ ...whatIfQuery({ subject, scenario }), staleTime: Number.POSITIVE_INFINITY })
  return (
    <p className="quiet">
      {data === undefined ? (
        error === null ? (
          findingsCopy.predicting
        ) : (
          findingsCopy.notPredictable(error.message)
        )
      ) : (
        <strong className="regular numeric">{words(data)}</strong>
      )}{' '}
      <Link
        to={'/whatif' as string}
        search={trialSearch(object, settings, { from, to }) as never}
        className="inline-row tap"
      >
        {findingsCopy.openWhatIf}
      </Link>
    </p>
  )
}

function words({ total_us, iops, neighbor_us }: WhatIf): string {
  const changes = [
    findingsCopy.predicted(
      total_us.before === null ? NOT_MEASURED : formatLatency(total_us.before),
      between(total_us.lower, total_us.upper, formatLatency),
    ),
    findingsCopy.predictedIops(
      iops.before === null ? NOT_MEASURED : formatIops(iops.before),
      between(iops.lower, iops.upper, formatIops),
    ),
  ]
  if (neighbor_us !== null && neighbor_us.before !== null)
    changes.push(
      findingsCopy.predictedNeighbors(
        formatLatency(neighbor_us.before),
        between(neighbor_us.lower, neighbor_us.upper, formatLatency),
      ),
    )
  return changes.join(' · ')
}
