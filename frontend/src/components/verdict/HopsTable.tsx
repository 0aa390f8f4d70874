/** The way of I/Os in numbers: every hop with its load, and the time between two of them with its bounds. */

import type { Hops } from '../../api/types'
import { fullness, linkTime, readingsOf, readingText } from '../../charts/hops'
import { formatIops, formatLatency, NOT_MEASURED } from '../../lib/units'
import { Name } from '../Name'
import styles from './Verdict.module.css'

export function HopsTable({ hops }: { hops: Hops }) {
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

function LinksTable({ hops: { hops, links } }: { hops: Hops }) {
  const names = new Map(hops.flatMap(({ nodes }) => nodes.map(({ id, name }) => [id, name])))
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
        {links.map((link) => (
          <tr key={`${link.from_id} ${link.to_id}`}>
            <td>
              <Name focusable>{`${names.get(link.from_id) ?? '?'} → ${names.get(link.to_id) ?? '?'}`}</Name>
            </td>
            <td>{link.label}</td>
            <Value>{link.us === null ? NOT_MEASURED : linkTime(link)}</Value>
            <Value>
              {link.us === null || link.lower_us === null || link.upper_us === null
                ? '–'
                : `${formatLatency(link.lower_us)} and ${formatLatency(link.upper_us)}`}
            </Value>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Heading = ({ children }: { children: string }) => (
  <th scope="col" className={styles.number}>
    {children}
  </th>
)

const Value = ({ children }: { children: string }) => <td className={styles.number}>{children}</td>
