/** The way of I/Os from VM to array: what they pass, how loaded that is, and where the time between goes. A list that is also a picture. */

import { type CSSProperties, useState } from 'react'
import type { Hops } from '../../api/types'
import {
  BOX_HEIGHT,
  BOX_WIDTH,
  fullness,
  hopPicture,
  linkBounds,
  linkWords,
  type PlacedLink,
  parentOf,
  readingLabel,
  readingsOf,
  readingText,
} from '../../charts/hops'
import { hopsCsv } from '../../charts/hopsCsv'
import type { LayerId } from '../../charts/segments'
import { colorOf } from '../../charts/tokens'
import * as ioPathCopy from '../../copy/ioPath'
import { CopyLink, SaveCsv, Tools, TurnTable } from '../../kit/chart/tools'
import { useTokens } from '../../kit/chart/useTokens'
import { Card } from '../../kit/layout/Card'
import { EmptyState } from '../../kit/state/DataState'
import { Name } from '../../kit/text/Name'
import { withoutDomain } from '../../lib/text'
import { formatIops, NOT_MEASURED } from '../../lib/units'
import { EntityLink } from '../object/EntityLink'
import styles from './Hops.module.css'
import { HopsTable } from './HopsTable'

type Hop = Hops['hops'][number]
type HopNode = Hop['nodes'][number]
type HopLink = Hops['links'][number]

interface HopsCardProps {
  hops: Hops
  /** The layers that the diagnosis names, with what it could not decide from. */
  named: readonly LayerId[]
  /** What it names is over. */
  hasEnded?: boolean
}

export function HopsCard({ hops, named, hasEnded = false }: HopsCardProps) {
  const picture = hopPicture(hops, named)
  const [asTable, setAsTable] = useState(false)
  return (
    <Card
      title={ioPathCopy.title}
      hint={ioPathCopy.hint}
      flush={asTable && picture.columns.length > 0}
      actions={
        picture.columns.length > 0 && (
          <Tools>
            <TurnTable asTable={asTable} onTurn={() => setAsTable(!asTable)} />
            <SaveCsv title={ioPathCopy.csvTitle(hops.subject.name)} csv={() => hopsCsv(hops)} />
            <CopyLink from_ms={Date.parse(hops.from_at)} to_ms={Date.parse(hops.to_at)} />
          </Tools>
        )
      }
    >
      {picture.columns.length === 0 ? (
        <EmptyState title={ioPathCopy.empty} text={ioPathCopy.emptyText} />
      ) : asTable ? (
        <HopsTable hops={hops} />
      ) : (
        <div className={styles.picture}>
          <div
            className={styles.plane}
            style={
              {
                '--height': `${picture.height}px`,
                '--box': `${BOX_WIDTH}%`,
                '--tall': `${BOX_HEIGHT}px`,
              } as CSSProperties
            }
          >
            <Lines links={picture.links} height={picture.height} isCalm={hasEnded} />
            <ol className="list stack gap-8" aria-label={ioPathCopy.hopsLabel}>
              {picture.columns.map(({ hop, x, nodes }) => (
                <li key={hop.name} className="stack gap-6">
                  <HopTitle hop={hop} x={x} />
                  <ul className="stack gap-8">
                    {nodes.map(({ node, y }) => (
                      <li
                        key={node.id}
                        className={`${styles.node} column narrow size-note`}
                        style={place(x, y)}
                        data-state={node.state ?? undefined}
                      >
                        <NodeText node={node} hop={hop.name} hops={hops} />
                        <Times links={hops.links.filter(({ from_id }) => from_id === node.id)} hops={hops.hops} />
                      </li>
                    ))}
                  </ul>
                </li>
              ))}
            </ol>
          </div>
          {picture.links.some(({ isUntold }) => isUntold) && (
            <p className={`${styles.note} quiet above`}>{ioPathCopy.notSeparableNote}</p>
          )}
        </div>
      )}
    </Card>
  )
}

/** Where something's middle is, for the style sheet, which has no use for it where it is narrow. */
const place = (x: number, y = 0) => ({ '--x': `${x}%`, '--y': `${y}px` }) as CSSProperties

function HopTitle({ hop, x }: { hop: Pick<Hop, 'label' | 'total'> & { nodes: readonly unknown[] }; x: number }) {
  return (
    <h3 className={`${styles.title} cut small semibold`} style={place(x)}>
      {hop.label}
      {hop.total > hop.nodes.length && (
        <span className="regular"> {ioPathCopy.shownOf(hop.nodes.length, hop.total)}</span>
      )}
    </h3>
  )
}

function NodeText({ node, hop, hops }: { node: HopNode; hop: string; hops: Hops }) {
  const { iops } = node.load
  // Told where hops stand one under the other and no line leads to it.
  const parent = parentOf(node.id, hop, hops)
  const full = fullness(node.load)
  return (
    <>
      <span className={`${styles.name} flex narrow size-label semibold`}>
        {parent !== null && (
          <span className={`${styles.parent} flex narrow`}>
            <Name>{withoutDomain(parent)}</Name>
            <span>{'\u00a0·\u00a0'}</span>
          </span>
        )}
        {node.ref === null ? <Name focusable>{node.name}</Name> : <EntityLink to={node.ref} />}
      </span>
      {node.detail.length > 0 && (
        <span className="flex narrow muted">
          <Name focusable>{node.detail.join(' · ')}</Name>
        </span>
      )}
      <span className="cut tabular">{iops === null ? NOT_MEASURED : formatIops(iops)}</span>
      {readingsOf(hop, node, hops).map((reading) => (
        <span key={reading.by} className="flex wrap baseline numeric" style={{ columnGap: 4 }}>
          {readingText(reading)} <span className={`${styles.by} small`}>{readingLabel(reading.by)}</span>
        </span>
      ))}
      {full !== null && (
        <span className="cut tabular">
          {full.label}
          <span className={`${styles.meter} meter`} aria-hidden="true">
            <i style={{ width: `${100 * full.share}%` }} />
          </span>
        </span>
      )}
    </>
  )
}

/** Where the I/O goes from a node and how long that takes: for those who do not see the lines. */
function Times({ links, hops }: { links: readonly HopLink[]; hops: readonly Hop[] }) {
  const names = new Map(hops.flatMap(({ nodes }) => nodes.map(({ id, name }) => [id, name])))
  if (links.length === 0) return null
  return (
    <ul className={`${styles.times} stack muted ruled breaks`}>
      {links.map((link) => (
        <li key={link.to_id} className="flex wrap">
          <span className={`${styles.way} flex narrow`}>
            <span>{ioPathCopy.linkTo(link.label)}</span>
            <Name focusable>{names.get(link.to_id) ?? '?'}</Name>
            <span>{': '}</span>
          </span>
          <span>
            {linkWords(link)}
            {boundsWords(link)}
          </span>
        </li>
      ))}
    </ul>
  )
}

function boundsWords(link: PlacedLink['link']): string {
  const bounds = linkBounds(link)
  return bounds === null ? '' : ioPathCopy.rangeSuffix(bounds)
}

interface LinesProps {
  links: readonly PlacedLink[]
  height: number
  isCalm: boolean
}

function Lines({ links, height, isCalm }: LinesProps) {
  const tokens = useTokens()
  return (
    <div className={styles.lines}>
      <svg aria-hidden="true" viewBox={`0 0 100 ${height}`} preserveAspectRatio="none">
        {links.map(({ key, path, width, color, isFaint }) => (
          <path
            key={key}
            d={path}
            fill="none"
            vectorEffect="non-scaling-stroke"
            stroke={colorOf({ color, shape: 'band' }, tokens)}
            strokeWidth={isFaint ? 1.5 : width}
            strokeDasharray={isFaint ? '4 4' : undefined}
          />
        ))}
      </svg>
      {links.map(({ key, x, y, text, hatched, isUntold, isFaint, isNamed, link }) => (
        <span
          key={key}
          aria-hidden="true"
          className={`${styles.time} size-note numeric semibold`}
          data-named={isNamed}
          data-calm={isCalm}
          data-faint={isFaint}
          data-hatched={hatched}
          data-untold={isUntold}
          style={place(x, y)}
          title={`${link.label}: ${linkWords(link)}${boundsWords(link)}`}
        >
          {text}
        </span>
      ))}
    </div>
  )
}
