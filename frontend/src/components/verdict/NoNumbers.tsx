import type { JudgedState } from '../../api/types'
import { EmptyState } from '../DataState'
import { NO_VERDICT } from './certainty'

interface NoNumbersProps {
  /** Said where there are data, but nothing to show of them. */
  title: string
  state: JudgedState
}

/** A card without numbers. Why a window has no data at all is said once, by the verdict above. */
export function NoNumbers({ title, state }: NoNumbersProps) {
  if (state === 'no_data') return <EmptyState title="No data in this window" text="" />
  return <EmptyState title={title} text={state === 'judged' ? '' : NO_VERDICT[state]} />
}
