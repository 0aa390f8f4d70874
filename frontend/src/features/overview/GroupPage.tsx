/** One group of VMs, such as an application's: what is elevated in it, whose layer it is, and its objects, worst first. */

import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { overviewQuery, type RankingParams } from '../../api/diagnoses'
import type { Overview } from '../../api/types'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as groupsCopy from '../../copy/groups'
import * as overviewCopy from '../../copy/overview'
import { ios } from '../../domain/breakdown/ios'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { troubledWords } from '../../domain/diagnosis/troubled'
import { type GroupName, groupBoard, groupInAddress, groupText } from '../../domain/object/group'
import { GROUP } from '../../domain/parameters'
import { Card } from '../../kit/layout/Card'
import { Icon } from '../../kit/mark/Icon'
import { DataAge } from '../../kit/state/DataAge'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { Name } from '../../kit/text/Name'
import { useSubject } from '../../lib/pageTitle'
import { AtOnce, InItsTime } from '../../lib/search'
import { instantMs } from '../../lib/time'
import { formatLatency } from '../../lib/units'
import { useParameter } from '../../lib/url'
import { Counts, InsideLayers, insideOf, rates, Worst } from './EnvironmentCard'
import styles from './Overview.module.css'
import { RankingCard } from './RankingCard'
import { rankingOf } from './ranking'
import { useRanking } from './useRanking'

const TreemapCard = lazy(async () => ({ default: (await import('./TreemapCard')).TreemapCard }))
const GroupOverTime = lazy(async () => ({ default: (await import('./GroupOverTime')).GroupOverTime }))

export default function GroupPage() {
  const [text] = useParameter(GROUP)
  const group = groupInAddress(text)
  if (group === null)
    return <EmptyState heading title={groupsCopy.missing} text={groupsCopy.missingText} action={TO_GROUPS} />
  return (
    <InItsTime>
      <Group group={group} />
    </InItsTime>
  )
}

const TO_GROUPS = (
  <Button component={Link} to={'/groups' as string} variant="default">
    {groupsCopy.allGroups}
  </Button>
)

function Group({ group }: { group: GroupName }) {
  const ranking = useRanking(groupText(group))
  const { params } = ranking
  const query = useQuery(overviewQuery(wholeGroup(params, group), 0))
  useSubject(group.value)
  return (
    <div className="column narrow grow gap-16">
      <header className="row wrap gap-wrap">
        <div className="narrow">
          <p className="muted">
            <Name>{group.label}</Name>
          </p>
          <h1 className="page-title">
            <Name whole>{group.value}</Name>
          </h1>
        </div>
        {query.data && (
          <DataAge
            at_ms={instantMs(query.data.ledger_until_at)}
            ageText={diagnosisCopy.analyzedThrough}
            never={diagnosisCopy.notAnalyzed}
            isPlain={query.data.environment.state === 'no_data'}
          />
        )}
        <div className="row wrap push gap-8">
          {TO_GROUPS}
          <Button
            component={Link}
            to={`/wall/${encodeURIComponent(groupBoard(group))}`}
            variant="default"
            leftSection={<Icon name="wall" />}
          >
            {groupsCopy.openWall}
          </Button>
        </div>
      </header>
      <DataState
        query={query}
        skeleton={<CardSkeleton height={250} />}
        empty={(page) =>
          page.total > 0
            ? null
            : { title: groupsCopy.empty(group.label, group.value), text: groupsCopy.emptyText, action: TO_GROUPS }
        }
      >
        {(page) => <GroupCard page={page} />}
      </DataState>
      {query.data?.total !== 0 && (
        <>
          <RankingCard ranking={ranking} />
          <div className={`${styles.pair} stack gap-16`}>
            <Suspense fallback={<CardSkeleton height={324} />}>
              <TreemapCard params={params} />
            </Suspense>
            <Suspense fallback={<CardSkeleton height={420} />}>
              <GroupOverTime group={group} />
            </Suspense>
          </div>
        </>
      )}
    </div>
  )
}

/** All of its VMs, whatever kind and filters the ranking has. */
const wholeGroup = ({ window }: RankingParams, group: GroupName): RankingParams =>
  rankingOf({ kind: 'vms' }, window, groupText(group))

function GroupCard({ page: { totals, items } }: { page: Overview }) {
  const inside = insideOf(totals.occupancy)
  return (
    <Card title={groupsCopy.total} hint={rates(totals.iops, null)}>
      <div className={`${styles.environment} stack`}>
        <div>
          <p className={`${styles.sentence} page-title`}>{troubledWords(totals, 'vms')}</p>
          <Worst items={items} />
          {totals.total_us !== null && <p>{diagnosisCopy.meanLatency(formatLatency(totals.total_us))}</p>}
          <p className="muted">{overviewCopy.excessOutstandingIo(ios(totals.excess_outstanding))}</p>
        </div>
        <div>
          <InsideLayers
            occupancy={totals.occupancy}
            words={totals.occupancy.length === 0 ? overviewCopy.notMeasured : overviewCopy.byLayer(ios(inside))}
          />
        </div>
      </div>
      <AtOnce>
        <Counts totals={totals} kind="vms" />
      </AtOnce>
    </Card>
  )
}
