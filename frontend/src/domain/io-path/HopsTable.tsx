/** The way of I/Os in numbers: every hop with its load, and the time between two of them with its bounds. */

import type { ReactNode } from 'react'
import type { Hops } from '../../api/types'
import {
  fullness,
  isUntold,
  linkBounds,
  linkWords,
  loadWords,
  parentOf,
  readingLabel,
  readingsOf,
  readingText,
} from '../../charts/hops'
import * as commonCopy from '../../copy/common'
import * as ioPathCopy from '../../copy/ioPath'
import { Stacked } from '../../kit/table/Stacked'
import { Name } from '../../kit/text/Name'
import { useMediaMatch } from '../../lib/preferences'
import { formatIops, NOT_MEASURED } from '../../lib/units'

const WIDE = '(min-width: 700px)'

export function HopsTable({ hops }: { hops: Hops }) {
  const isWide = useMediaMatch(WIDE)
  if (!isWide) return <HopsOnPhone hops={hops} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="scroll-x" tabIndex={0} aria-label={ioPathCopy.tableScroll}>
      <table className="lines" aria-label={ioPathCopy.perHop}>
        <thead>
          <tr>
            <th scope="col">{ioPathCopy.hop}</th>
            <th scope="col">{commonCopy.name}</th>
            <Heading>{commonCopy.iops}</Heading>
            <Heading>{commonCopy.latency}</Heading>
            <Heading>{ioPathCopy.activeLabel}</Heading>
          </tr>
        </thead>
        <tbody>
          {hops.hops.flatMap((hop) =>
            hop.nodes.map((node) => (
              <tr key={node.id}>
                <td>{hop.label}</td>
                <td>
                  <Name focusable>{[node.name, ...node.detail].join(' · ')}</Name>
                </td>
                <Value>{node.load.iops === null ? NOT_MEASURED : formatIops(node.load.iops)}</Value>
                <Value>
                  {readingsOf(hop.name, node, hops)
                    .map((reading) => `${readingText(reading)} ${readingLabel(reading.by)}`)
                    .join(', ') || '–'}
                </Value>
                <Value>{fullness(node.load)?.text ?? '–'}</Value>
              </tr>
            )),
          )}
        </tbody>
      </table>
      <LinksTable hops={hops} />
    </section>
  )
}

function LinksTable({ hops }: { hops: Hops }) {
  return (
    <table className="lines" aria-label={ioPathCopy.betweenHops}>
      <thead>
        <tr>
          <th scope="col">{ioPathCopy.between}</th>
          <th scope="col">{ioPathCopy.segment}</th>
          <Heading>{commonCopy.latency}</Heading>
          <Heading>{commonCopy.rangeHeader}</Heading>
        </tr>
      </thead>
      <tbody>
        {betweenHops(hops).map(({ link, ends }) => (
          <tr key={`${link.from_id} ${link.to_id}`}>
            <td>
              <Name focusable>{ends}</Name>
            </td>
            <td>{link.label}</td>
            {isUntold(link) ? (
              <td className="muted right" colSpan={2}>
                {linkWords(link)}
              </td>
            ) : (
              <>
                <Value>{linkWords(link)}</Value>
                <Value>{linkBounds(link) ?? '–'}</Value>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The same, one below the other: a phone has no room for columns. */
function HopsOnPhone({ hops }: { hops: Hops }) {
  return (
    <>
      <OneColumn label={ioPathCopy.perHop} heading={ioPathCopy.hopAndLoad}>
        {hops.hops.flatMap((hop) =>
          hop.nodes.map((node) => {
            const parent = parentOf(node.id, hop.name, hops)
            return (
              <StackedRow
                key={node.id}
                of={parent === null ? node.name : `${parent} · ${node.name}`}
                lines={[[hop.label, ...node.detail].join(' · '), loadWords(hop.name, node, hops).join(' · ')]}
              />
            )
          }),
        )}
      </OneColumn>
      <OneColumn label={ioPathCopy.betweenHops} heading={ioPathCopy.betweenAndLatency}>
        {betweenHops(hops).map(({ link, ends }) => {
          const bounds = linkBounds(link)
          return (
            <StackedRow
              key={`${link.from_id} ${link.to_id}`}
              of={ends}
              lines={[`${link.label}: ${linkWords(link)}${bounds === null ? '' : ioPathCopy.rangeSuffix(bounds)}`]}
            />
          )
        })}
      </OneColumn>
    </>
  )
}

function betweenHops({ hops, links }: Hops) {
  const names = new Map(hops.flatMap(({ nodes }) => nodes.map(({ id, name }) => [id, name])))
  return links.map((link) => ({
    link,
    ends: `${names.get(link.from_id) ?? '?'} → ${names.get(link.to_id) ?? '?'}`,
  }))
}

function OneColumn({ label, heading, children }: { label: string; heading: string; children: ReactNode }) {
  return (
    <table className="lines" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** Nothing of it is cut: there is no pointer that would rest on it. */
function StackedRow({ of, lines }: { of: string; lines: readonly string[] }) {
  return (
    <tr>
      <td>
        <Stacked
          of={<Name whole>{of}</Name>}
          lines={lines.map((line) => (
            <Name key={line} whole>
              {line}
            </Name>
          ))}
        />
      </td>
    </tr>
  )
}

const Heading = ({ children }: { children: string }) => (
  <th scope="col" className="right numeric">
    {children}
  </th>
)

const Value = ({ children }: { children: string }) => <td className="right numeric">{children}</td>
