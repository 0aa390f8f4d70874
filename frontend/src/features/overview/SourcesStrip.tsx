/** How fresh every source is: the worst first, because a verdict is as good as what it is made from. */

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { sourcesQuery } from '../../api/queries'
import { DataAge } from '../../components/DataAge'
import { DataState } from '../../components/DataState'
import { Name } from '../../components/Name'
import { readUntil, SourceMark } from '../../components/SourceMark'
import { CardSkeleton } from '../../components/verdict/Skeletons'
import styles from './Overview.module.css'

const WORST_FIRST = ['failing', 'late', 'waiting', 'live', 'disabled']

export function SourcesStrip() {
  const query = useQuery(sourcesQuery())
  return (
    <DataState query={query} skeleton={<CardSkeleton height={38} />}>
      {(sources) =>
        sources.length === 0 ? (
          <p className={styles.hint}>
            Nothing is polled yet. <Link to="/sources">Add an array and a vCenter</Link> to get verdicts.
          </p>
        ) : (
          <ul className={styles.sources} aria-label="Freshness of the sources">
            {[...sources]
              .sort((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state))
              .map((source) => (
                <li key={source.id} className={styles.source}>
                  <span className={styles.sourceName}>
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
        )
      }
    </DataState>
  )
}
