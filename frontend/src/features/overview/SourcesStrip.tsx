/** How fresh every source is: the worst first, because a diagnosis is as good as what it is made from. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { sourcesQuery } from '../../api/queries'
import type { SourceOut } from '../../api/types'
import * as sourcesCopy from '../../copy/sources'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { readUntil, SourceMark, worstFirst } from '../../domain/sources/SourceMark'
import { DataAge } from '../../kit/state/DataAge'
import { DataState } from '../../kit/state/DataState'
import { Name } from '../../kit/text/Name'
import { formatCount } from '../../lib/units'
import styles from './Overview.module.css'

const ROW_PX = 32

export function SourcesStrip() {
  const query = useQuery(sourcesQuery())
  return (
    <DataState query={query} skeleton={<CardSkeleton height={ROW_PX} />}>
      {(sources) =>
        sources.length === 0 ? (
          <p className="muted">
            {sourcesCopy.noneYet} <Link to="/sources">{sourcesCopy.addBoth}</Link> {sourcesCopy.toDiagnose}
          </p>
        ) : (
          <Strip sources={sources} />
        )
      }
    </DataState>
  )
}

/** One row, however many there are: what is below does not move when they become known. */
function Strip({ sources }: { sources: readonly SourceOut[] }) {
  const [isCut, measure] = useIsCut()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex start gap-8">
      <ul
        ref={measure}
        className={`${styles.sources} flex wrap narrow grow gap-8`}
        data-open={isOpen}
        aria-label={sourcesCopy.freshness}
      >
        {worstFirst(sources).map((source) => (
          <li key={source.id} className={`${styles.source} surface inline-row narrow size-label gap-12`}>
            <span className="inline narrow" style={{ maxWidth: 220 }}>
              <Name focusable>{source.name}</Name>
            </span>
            {source.state === 'live' ? (
              <DataAge at_ms={readUntil(source)} short />
            ) : (
              <SourceMark state={source.state} />
            )}
          </li>
        ))}
      </ul>
      {(isCut || isOpen) && (
        <button
          type="button"
          className={`${styles.allSources} plain fixed quiet`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? sourcesCopy.oneRow : sourcesCopy.showAll(formatCount(sources.length))}
        </button>
      )}
    </div>
  )
}

/** Whether some do not fit into the row, followed as its width changes. */
function useIsCut() {
  const [isCut, setCut] = useState(false)
  const measure = useCallback((list: HTMLElement | null) => {
    if (list === null) return
    const update = () => setCut(list.scrollHeight > list.clientHeight + 1)
    const observer = new ResizeObserver(update)
    observer.observe(list)
    update()
    return () => observer.disconnect()
  }, [])
  return [isCut, measure] as const
}
