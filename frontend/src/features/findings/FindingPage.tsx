/** One finding: what it is, what to do in which order, the evidence, and what the rule cannot see. */

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { findingQuery } from '../../api/findings'
import type { FindingDetail } from '../../api/types'
import * as findingsCopy from '../../copy/findings'
import * as navigationCopy from '../../copy/navigation'
import { CardSkeleton } from '../../domain/diagnosis/Skeletons'
import { RefList } from '../../domain/object/RefList'
import { Card } from '../../kit/layout/Card'
import { Icon } from '../../kit/mark/Icon'
import { DataState, EmptyState } from '../../kit/state/DataState'
import { useSubject } from '../../lib/pageTitle'
import { visibleName } from '../../lib/text'
import { formatCount } from '../../lib/units'
import { numberOf } from '../../lib/url'
import { AdviceCard } from './AdviceCard'
import { EvidenceCard, TableCard } from './EvidenceCards'
import { FindingHead } from './FindingHead'
import { HistoryCard, RuleCard } from './RuleCards'

export default function FindingPage() {
  const { id: text = '' } = useParams({ strict: false }) as { id?: string }
  const id = numberOf(text)
  return (
    <div className="stack gap-12" key={id}>
      <Link to={'/findings' as string} className="back">
        <Icon name="left" size={14} /> {navigationCopy.findings}
      </Link>
      {id === null ? (
        <EmptyState
          heading
          title={findingsCopy.notAFinding(visibleName(text))}
          text={
            <>
              {findingsCopy.idExpected} <Elsewhere />.
            </>
          }
        />
      ) : (
        <One id={id} />
      )}
    </div>
  )
}

function One({ id }: { id: number }) {
  const query = useQuery(findingQuery(id))
  useSubject(query.data?.title ?? null)
  return (
    <DataState
      query={query}
      skeleton={<CardSkeleton height={480} />}
      heading
      gone={
        <>
          {findingsCopy.gone} <Elsewhere />.
        </>
      }
    >
      {(finding) => <Parts finding={finding} />}
    </DataState>
  )
}

function Parts({ finding }: { finding: FindingDetail }) {
  const { affected, affected_text, concerns } = finding
  const hint = [
    affected_text,
    affected.length < concerns ? findingsCopy.firstOf(formatCount(affected.length), formatCount(concerns)) : '',
  ]
  return (
    <>
      <FindingHead finding={finding} />
      <AdviceCard advice={finding.advice_list} seen_at={finding.seen_at} />
      {finding.evidence.length > 0 && <EvidenceCard evidence={finding.evidence} />}
      {finding.tables.map((table) => (
        <TableCard key={table.title} table={table} />
      ))}
      {affected.length > 0 && (
        <Card title={findingsCopy.affected} hint={hint.filter((words) => words !== '').join(', ')}>
          <RefList refs={affected} label={findingsCopy.affectedList} />
        </Card>
      )}
      <RuleCard finding={finding} />
      <HistoryCard history={finding.history} />
    </>
  )
}

const Elsewhere = () => <Link to={'/findings' as string}>{findingsCopy.list}</Link>
