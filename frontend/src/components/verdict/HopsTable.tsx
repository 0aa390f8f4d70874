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
  readingsOf,
  readingText,
} from '../../charts/hops'
import { useMediaMatch } from '../../lib/preferences'
import { formatIops, NOT_MEASURED } from '../../lib/units'
import { Name } from '../Name'
import { Stacked } from '../table/Told'
import hopStyles from './Hops.module.css'
import styles from './Verdict.module.css'

const WIDE = '(min-width: 700px)'

export function HopsTable({ hops }: { hops: Hops }) {
  const isWide = useMediaMatch(WIDE)
  if (!isWide) return <HopsOnPhone hops={hops} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="Numbers of the way of its I/Os, scrolls">
      <table className={styles.rows} aria-label="Load of each hop">
        <thead>
          <tr>
            <th scope="col">Hop</th>
            <th scope="col">Name</th>
            <Heading>I/O rate</Heading>
            <Heading>Latency</Heading>
            <Heading>In flight</Heading>
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
                    .map((reading) => `${readingText(reading)} ${reading.by}`)
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
    <table className={styles.rows} aria-label="Time between hops">
      <thead>
        <tr>
          <th scope="col">Between</th>
          <th scope="col">Part of the path</th>
          <Heading>Time per I/O</Heading>
          <Heading>between</Heading>
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
              <td className={hopStyles.words} colSpan={2}>
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
      <OneColumn label="Load of each hop" heading="Hop and its load">
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
      <OneColumn label="Time between hops" heading="Between, and the time of an I/O there">
        {betweenHops(hops).map(({ link, ends }) => {
          const bounds = linkBounds(link)
          return (
            <StackedRow
              key={`${link.from_id} ${link.to_id}`}
              of={ends}
              lines={[`${link.label}: ${linkWords(link)}${bounds === null ? '' : `, between ${bounds}`}`]}
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
    <table className={styles.rows} aria-label={label}>
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
  <th scope="col" className={styles.number}>
    {children}
  </th>
)

const Value = ({ children }: { children: string }) => <td className={styles.number}>{children}</td>
