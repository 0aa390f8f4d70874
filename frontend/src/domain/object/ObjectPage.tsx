/** The frame of one object's page: its name, facts and alerts, then its sections on their tabs. */

import { Alert, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect, useMemo } from 'react'
import type { DiagnosisWindow } from '../../api/diagnoses'
import { type EntityKind, type EntityTypes, oneQuery } from '../../api/queries'
import { showSummary } from '../../api/summary'
import type { Match, Sides } from '../../api/types'
import * as navigationCopy from '../../copy/navigation'
import * as objectsCopy from '../../copy/objects'
import { Icon } from '../../kit/mark/Icon'
import { DataAge } from '../../kit/state/DataAge'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { Name } from '../../kit/text/Name'
import { useSubject } from '../../lib/pageTitle'
import { InItsTime } from '../../lib/search'
import { visibleName } from '../../lib/text'
import { instantMs } from '../../lib/time'
import { isNumbered, numberOf, useParameter, useTrend } from '../../lib/url'
import { AlertsLine } from '../alerts/AlertsLine'
import { alertsOf, alertsOnArray, type Thing } from '../alerts/standing'
import { DiagnosisSkeleton } from '../diagnosis/Skeletons'
import { useDiagnosisWindow } from '../diagnosis/useDiagnosisWindow'
import { KIND, subjectOf } from '../kinds'
import { TAB } from '../parameters'
import { ObjectTabs } from '../sections/ObjectTabs'
import { sectionsOf } from '../sections/registry'
import type { Section } from '../sections/section'
import styles from './ObjectPage.module.css'

export interface Fact {
  term: string
  value: ReactNode
}

interface ObjectPageProps<Kind extends EntityKind> {
  kind: Kind
  facts: (one: EntityTypes[Kind]['one']) => Fact[]
  match?: (one: EntityTypes[Kind]['one']) => Match
  /** What it stands on: their alerts matter to it, too. */
  below?: (one: EntityTypes[Kind]['one']) => Thing[]
  /** What only this kind has, each on its tab. */
  sections: readonly Section<Kind>[]
}

/** The page follows its address in its time: the key that moves the window is answered before anything is drawn. */
export function ObjectPage<Kind extends EntityKind>(props: ObjectPageProps<Kind>) {
  return (
    <InItsTime>
      <Page {...props} />
    </InItsTime>
  )
}

function Page<Kind extends EntityKind>({ kind, facts, match, below, sections }: ObjectPageProps<Kind>) {
  type One = EntityTypes[Kind]['one']
  const { id: text = '' } = useParams({ strict: false }) as { id?: string }
  const id = numberOf(text)
  const window = useDiagnosisWindow()
  useSummary(kind, id, window)
  const query = useQuery({ ...oneQuery(kind, id ?? 0), enabled: id !== null })
  const isLive = window === null
  const all = useMemo(() => sectionsOf(sections), [sections])
  useSubject(query.data?.name ?? null)
  return (
    // Another object is another page: nothing of the former one lingers.
    <div className="stack gap-12" key={id}>
      <Link to={`/${kind}` as string} className="back">
        <Icon name="left" size={14} /> {KIND[kind].titles}
      </Link>
      {id === null ? (
        <EmptyState
          heading
          title={objectsCopy.notAnObject(KIND[kind].noun, visibleName(text))}
          text={
            <>
              {objectsCopy.idExpected(KIND[kind].noun)} <Elsewhere kind={kind} />
            </>
          }
        />
      ) : (
        <DataState<One>
          query={query as never}
          skeleton={<ObjectSkeleton noun={KIND[kind].noun} />}
          heading
          gone={
            <>
              {objectsCopy.notFound(KIND[kind].noun)} <Elsewhere kind={kind} />
            </>
          }
        >
          {(one) => (
            <>
              <Head
                name={one.name}
                newest={isLive ? one.newest : null}
                facts={facts(one)}
                wall={`/wall/${kind}-${id}`}
                whatIf={QUEUED.has(kind) ? `${KIND[kind].subject}-${id}` : null}
              />
              <AlertsLine
                of={subjectOf(kind, id)}
                choose={(alerts) =>
                  kind === 'arrays' ? alertsOnArray(alerts, id) : alertsOf(alerts, subjectOf(kind, id), below?.(one))
                }
              />
              {match && <MatchNote match={match(one)} />}
              <ObjectTabs context={{ kind, id, name: one.name, one, window, isLive }} sections={all} />
            </>
          )}
        </DataState>
      )}
    </div>
  )
}

/** While the tab Summary is open, what it shows comes with one request. Before any section asks for its part: effects run after layout's. */
function useSummary(kind: EntityKind, id: number | null, window: DiagnosisWindow) {
  const cache = useQueryClient()
  const trend = useTrend()
  const [tab] = useParameter(TAB)
  useLayoutEffect(() => {
    showSummary(cache, isNumbered(id) && tab === TAB.fallback ? { kind, id, window, trend } : null)
  }, [cache, kind, id, window, trend, tab])
  useLayoutEffect(() => () => showSummary(cache, null), [cache])
}

/** Where else to look. */
function Elsewhere({ kind }: { kind: EntityKind }) {
  return (
    <>
      {objectsCopy.searchOrList} <Link to={`/${kind}` as string}>{KIND[kind].titles}</Link>.
    </>
  )
}

interface HeadProps {
  name: string
  /** Null where the range is not about now. */
  newest: Sides | null
  facts: readonly Fact[]
  /** The board that shows it on a wall. */
  wall: string
  /** How the what-if calls it; null for what has no device queue of its own. */
  whatIf: string | null
}

const QUEUED: ReadonlySet<EntityKind> = new Set(['datastores', 'vms', 'hosts'])

function Head({ name, newest, facts, wall, whatIf }: HeadProps) {
  return (
    <header className="stack gap-4">
      <div className="flex wrap baseline gap-wrap">
        <h1 className="page-title">
          <Name whole>{name}</Name>
        </h1>
        {newest !== null && <DataAge at_ms={instantMs(newest.at)} />}
        <span className="flex wrap push gap-wrap">
          {whatIf !== null && (
            <Link to={'/whatif' as string} search={{ object: whatIf } as never} className="inline-row quiet gap-6">
              <Icon name="settings" size={14} /> {navigationCopy.whatIf}
            </Link>
          )}
          <Link to={wall} className="inline-row quiet gap-6">
            <Icon name="wall" size={14} /> {objectsCopy.wallView}
          </Link>
        </span>
      </div>
      <dl className="flex wrap muted gap-wrap">
        {facts.map(({ term, value }) => (
          <div key={term} className={`${styles.fact} inline narrow gap-6`}>
            <dt>
              <Name focusable>{term}</Name>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </header>
  )
}

/** Says why one side is missing, where it is. */
function MatchNote({ match }: { match: Match }) {
  if (match.matched) return null
  return (
    <Alert color="yellow" variant="outline" icon={<Icon name="warning" />} title={objectsCopy.notMatched}>
      {match.reason ?? objectsCopy.noReason} {match.remedy} {objectsCopy.hostCountersOnly}
    </Alert>
  )
}

/** Of name and facts as they will be. */
const HEAD_PX = 54

function ObjectSkeleton({ noun }: { noun: string }) {
  return (
    <Stack gap="md">
      <p className="grid middle muted size-lead" style={{ height: HEAD_PX }}>
        {objectsCopy.loading(noun)}
      </p>
      <DiagnosisSkeleton />
    </Stack>
  )
}
