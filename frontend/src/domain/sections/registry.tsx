/** The sections that pages of all kinds share, in their order on the page. What a kind has alone its own page adds. */

import { type ComponentType, lazy } from 'react'
import type { EntityKind } from '../../api/queries'
import * as breakdownCopy from '../../copy/breakdown'
import * as contributorsCopy from '../../copy/contributors'
import * as countersCopy from '../../copy/counters'
import * as diagnosisCopy from '../../copy/diagnosis'
import * as gapsCopy from '../../copy/gaps'
import * as ioPathCopy from '../../copy/ioPath'
import * as outstandingCopy from '../../copy/outstanding'
import * as scoreboardCopy from '../../copy/scoreboard'
import * as sectionsCopy from '../../copy/sections'
import { DiagnosisSection } from '../diagnosis/DiagnosisSection'
import type { Section, SectionContext } from './section'

type Part = ComponentType<SectionContext>

/** The code of a tab comes when the tab is opened. */
function partOf<Name extends string>(load: () => Promise<Record<Name, Part>>, name: Name): Part {
  return lazy(async (): Promise<{ default: Part }> => ({ default: (await load())[name] }))
}

const summary = () => import('./summary')
const path = () => import('./path')
const counters = () => import('./counters')
const events = () => import('./events')

const Scores = partOf(summary, 'ScoreboardSection')
const Breakdown = partOf(summary, 'BreakdownSection')
const OverTime = lazy(async () => ({ default: (await summary()).OverTimeSection }))
const Contributors = partOf(summary, 'ContributorsSection')
const Hops = lazy(async () => ({ default: (await path()).HopsSection }))
const Occupancy = partOf(path, 'OccupancySection')
const HostRows = partOf(summary, 'HostRowsSection')
const Details = partOf(counters, 'DetailsSection')
const Evidence = partOf(counters, 'EvidenceSection')
const Deltas = partOf(counters, 'DeltasSection')
const LastMinute = partOf(counters, 'LastMinuteSection')
const Raw = partOf(counters, 'RawSection')
const Found = partOf(() => import('../findings/FindingsSection'), 'FindingsSection')
const Happened = partOf(events, 'EventsSection')
const Gaps = partOf(events, 'GapsSection')

const of =
  (...kinds: EntityKind[]) =>
  ({ kind }: SectionContext) =>
    kinds.includes(kind)

const SUMMARY: readonly Section[] = [
  {
    id: 'diagnosis',
    title: diagnosisCopy.title,
    tab: 'summary',
    render: (context) => <DiagnosisSection {...context} />,
  },
  {
    id: 'scoreboard',
    title: scoreboardCopy.title,
    tab: 'summary',
    render: (context) => <Scores {...context} />,
  },
  {
    id: 'breakdown',
    title: breakdownCopy.title,
    tab: 'summary',
    width: 5,
    render: (context) => <Breakdown {...context} />,
  },
  {
    id: 'over-time',
    title: breakdownCopy.latencyOverTime,
    tab: 'summary',
    width: 7,
    render: (context) => <OverTime {...context} />,
  },
  {
    id: 'hosts',
    title: countersCopy.perHost,
    tab: 'summary',
    width: 7,
    applies: of('datastores'),
    render: (context) => <HostRows {...context} />,
  },
  {
    id: 'contributors',
    title: contributorsCopy.title,
    tab: 'summary',
    width: 5,
    render: (context) => <Contributors {...context} />,
  },
]

const PATH: readonly Section[] = [
  {
    id: 'hops',
    title: ioPathCopy.title,
    tab: 'path',
    applies: of('datastores', 'vms'),
    render: (context) =>
      context.kind === 'datastores' || context.kind === 'vms' ? <Hops {...context} kind={context.kind} /> : null,
  },
]

/** Below what a kind adds to its path. */
const OUTSTANDING: Section = {
  id: 'outstanding',
  title: outstandingCopy.title,
  tab: 'path',
  render: (context) => <Occupancy {...context} />,
}

const COUNTERS: readonly Section[] = [
  {
    id: 'details',
    title: sectionsCopy.details,
    tab: 'counters',
    render: (context) => <Details {...context} />,
  },
  {
    id: 'evidence',
    title: countersCopy.evidence,
    tab: 'counters',
    render: (context) => <Evidence {...context} />,
  },
  {
    id: 'differences',
    title: countersCopy.differences,
    tab: 'counters',
    applies: of('datastores'),
    render: (context) => <Deltas {...context} />,
  },
  {
    id: 'layers-over-time',
    title: breakdownCopy.layersOverTime,
    tab: 'counters',
    render: (context) => <OverTime {...context} whole />,
  },
  {
    id: 'last-minute',
    title: countersCopy.lastMinute,
    tab: 'counters',
    applies: ({ isLive }) => isLive,
    render: (context) => <LastMinute {...context} />,
  },
  {
    id: 'raw',
    title: countersCopy.rawCounters,
    tab: 'counters',
    render: (context) => <Raw {...context} />,
  },
]

const FINDINGS: Section = {
  id: 'findings',
  title: sectionsCopy.findings,
  tab: 'findings',
  render: (context) => <Found {...context} />,
}

const EVENTS: readonly Section[] = [
  {
    id: 'events',
    title: gapsCopy.events,
    tab: 'events',
    render: (context) => <Happened {...context} />,
  },
  { id: 'gaps', title: gapsCopy.title, tab: 'events', render: (context) => <Gaps {...context} /> },
]

/** All sections of a page in their order: `own` are those of its kind alone. */
export function sectionsOf<Kind extends EntityKind>(own: readonly Section<Kind>[]): readonly Section<Kind>[] {
  const [last, others] = [own.filter(({ isLast }) => isLast), own.filter(({ isLast }) => !isLast)]
  const all = [...SUMMARY, ...PATH, ...others, OUTSTANDING, ...COUNTERS, ...last, FINDINGS, ...EVENTS]
  return all as readonly Section<Kind>[]
}
