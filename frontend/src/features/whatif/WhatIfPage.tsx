/** What-if: an object or a published case on the left, settings to try, and what they would do. The address holds all of it. */

import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { WhatIf, WhatIfBody, WhatIfExample } from '../../api/types'
import { whatIfExamplesQuery, whatIfQuery } from '../../api/whatif'
import * as whatIfCopy from '../../copy/whatif'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { EntityLink } from '../../domain/object/EntityLink'
import { Card } from '../../kit/layout/Card'
import { columnWidths, leastWidth } from '../../kit/layout/columns'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { useSubject } from '../../lib/pageTitle'
import { visibleName } from '../../lib/text'
import { BacktestCard } from './BacktestCard'
import { BreakdownCard, ResultCard } from './ResultCards'
import { ScenarioCard } from './ScenarioCard'
import { bodyOf, parseObject, useScenario } from './scenario'
import styles from './WhatIf.module.css'

export default function WhatIfPage() {
  const { search } = useScenario()
  const examples = useQuery(whatIfExamplesQuery())
  const wanted = search.case
  const example = examples.data?.find(({ id }) => id === wanted)
  const body = useMemo(() => bodyOf(search, example), [search, example])
  const object = search.object ?? ''
  return (
    <div className="stack gap-12">
      <header>
        <h1 className="page-title">{whatIfCopy.title}</h1>
        <p className="muted">{whatIfCopy.lead}</p>
      </header>
      {object !== '' && parseObject(object) === null ? (
        <EmptyState title={whatIfCopy.unusableObject(visibleName(object))} text={whatIfCopy.unusableObjectText} />
      ) : body === null ? (
        <EmptyState title={whatIfCopy.pickTitle} text={whatIfCopy.pickText} />
      ) : (
        <Tried body={body} example={body.subject ? undefined : example} />
      )}
      {(object === '' || parseObject(object) !== null) && example === undefined && (
        <BacktestCard object={parseObject(object)} />
      )}
      <DataState query={examples} skeleton={<CardSkeleton height={120} />}>
        {(all) => <ExamplesCard examples={all} chosen={body?.subject ? undefined : example} />}
      </DataState>
    </div>
  )
}

function Tried({ body, example }: { body: WhatIfBody; example: WhatIfExample | undefined }) {
  const query = useQuery(whatIfQuery(body))
  const found = query.data
  useSubject(found?.start?.subject.name ?? example?.title ?? null)
  return (
    <div className="columns start gap-12" style={columnWidths('minmax(300px, 380px) minmax(0, 1fr)', 'minmax(0, 1fr)')}>
      <div className="stack gap-12">
        {found !== undefined && found.start !== null && <WorkloadCard start={found.start} />}
        <ScenarioCard found={found} />
      </div>
      <div className="stack gap-12">
        {query.error !== null && (
          <p className="note" data-tone="warn" role="alert">
            <strong>{whatIfCopy.refusedTitle}.</strong> {query.error.message}
          </p>
        )}
        {query.error === null && found === undefined && <CardSkeleton height={420} />}
        {query.error === null && found !== undefined && (
          <>
            {example !== undefined && <SeenNote example={example} />}
            <ResultCard found={found} />
            <BreakdownCard found={found} />
          </>
        )}
      </div>
    </div>
  )
}

function SeenNote({ example: { text, seen, source } }: { example: WhatIfExample }) {
  return (
    <p className="note">
      {text} <strong>{whatIfCopy.seen(seen)}</strong> <span className="muted">{whatIfCopy.source(source)}</span>
    </p>
  )
}

function WorkloadCard({ start }: { start: NonNullable<WhatIf['start']> }) {
  const { choose } = useScenario()
  return (
    <Card title={whatIfCopy.workload}>
      <div className="stack gap-10">
        <EntityLink to={start.subject} />
        <NativeSelect
          label={whatIfCopy.queue}
          data={start.queues.map(({ device, host }) => ({
            value: String(device.id),
            label: whatIfCopy.queueOf(visibleName(device.name), visibleName(host.name)),
          }))}
          value={String(start.queue.device.id)}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      </div>
    </Card>
  )
}

interface ExamplesProps {
  examples: readonly WhatIfExample[]
  chosen: WhatIfExample | undefined
}

function ExamplesCard({ examples, chosen }: ExamplesProps) {
  const { open } = useScenario()
  return (
    <Card title={whatIfCopy.examples} hint={whatIfCopy.examplesHint}>
      <ul className={`${styles.examples} list tiles gap-8`} style={leastWidth(220)}>
        {examples.map((example) => (
          <li key={example.id}>
            <button
              type="button"
              className="plain note stack gap-4 size-label"
              aria-pressed={example.id === chosen?.id}
              onClick={() => open(example)}
            >
              <strong>{example.title}</strong>
              <span className="muted">{example.text}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  )
}
