import type { JudgedState } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import { EmptyState } from '../../kit/state/DataState'
import { NO_DIAGNOSIS } from './noDiagnosis'

interface NoNumbersProps {
  /** Said where there are data, but nothing to show of them. */
  title: string
  state: JudgedState
}

/** A card without numbers. Why a window has no data at all is said once, by the diagnosis above. */
export function NoNumbers({ title, state }: NoNumbersProps) {
  if (state === 'no_data') return <EmptyState title={diagnosisCopy.noData} text="" />
  return <EmptyState title={title} text={state === 'judged' ? '' : NO_DIAGNOSIS[state]} />
}
