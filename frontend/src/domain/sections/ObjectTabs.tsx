/** The tabs of an object's page: which one is open stands in the address, and only its sections exist and ask for data. */

import { Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import type { EntityKind } from '../../api/queries'
import * as sectionsCopy from '../../copy/sections'
import { Later } from '../../kit/schedule/Later'
import { OutOfSight } from '../../kit/schedule/OutOfSight'
import { Boundary } from '../../kit/state/Boundary'
import { AtOnce, Showing, useShown } from '../../lib/search'
import { useParameter } from '../../lib/url'
import { TAB, TAB_IDS, type TabId } from '../parameters'
import styles from './ObjectTabs.module.css'
import { type Section, type SectionContext, widthsInRows } from './section'

/** Tabs are there before what is counted on them. */
const TabCount = lazy(async () => ({ default: (await import('../findings/TabCount')).TabCount }))

const TITLES: Record<TabId, string> = {
  summary: sectionsCopy.summary,
  path: sectionsCopy.path,
  counters: sectionsCopy.counters,
  findings: sectionsCopy.findings,
  events: sectionsCopy.events,
}

interface ObjectTabsProps<Kind extends EntityKind> {
  context: SectionContext<Kind>
  sections: readonly Section<Kind>[]
}

export function ObjectTabs<Kind extends EntityKind>({ context, sections }: ObjectTabsProps<Kind>) {
  const place = useShown()
  const [tab] = useParameter(TAB)
  const own = sections.filter((section) => section.tab === tab && (section.applies?.(context) ?? true))
  return (
    <AtOnce>
      <TabFrame kind={context.kind} id={context.id}>
        {/* What is pressed shows at once; what it opens is drawn when there is time for it. */}
        <Showing place={place}>
          <TabSections key={tab} context={context} sections={own} />
        </Showing>
      </TabFrame>
    </AtOnce>
  )
}

function TabFrame({ kind, id: object, children }: { kind: EntityKind; id: number; children: React.ReactNode }) {
  const [tab, setTab] = useParameter(TAB)
  return (
    <Tabs value={tab} onChange={(next) => setTab(next ?? TAB.fallback)} keepMounted={false} className="narrow">
      <Tabs.List aria-label={sectionsCopy.tabs}>
        {TAB_IDS.map((id) => (
          <Tabs.Tab key={id} value={id}>
            {TITLES[id]}
            {id === 'findings' && (
              <Suspense>
                <TabCount kind={kind} id={object} />
              </Suspense>
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>{children}</Tabs.Panel>
    </Tabs>
  )
}

/** As many as a screen shows are drawn at once. */
const AT_ONCE = 4

function TabSections<Kind extends EntityKind>({ context, sections }: ObjectTabsProps<Kind>) {
  const widths = widthsInRows(sections.map(({ width = 12 }) => width))
  return (
    <div className={`${styles.sections} grid`}>
      {sections.map((section, index) => {
        const drawn = (
          <Boundary title={section.title}>
            <Suspense fallback={<span hidden aria-busy="true" />}>{section.render(context)}</Suspense>
          </Boundary>
        )
        return (
          <div key={section.id} className={`${styles.section} stack narrow if-any gap-16`} data-width={widths[index]}>
            {index < AT_ONCE ? drawn : <Later>{<OutOfSight>{drawn}</OutOfSight>}</Later>}
          </div>
        )
      })}
    </div>
  )
}
