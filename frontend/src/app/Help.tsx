import { Kbd, Modal } from '@mantine/core'
import * as helpCopy from '../copy/help'
import * as navigationCopy from '../copy/navigation'
import { leastWidth } from '../kit/layout/columns'
import { ownAddress } from '../lib/base'
import { Glossary } from './Glossary'
import styles from './Help.module.css'
import { PAGES } from './pages'

const KEYS: readonly [readonly string[], string][] = [
  [['/'], navigationCopy.searchLabel],
  [['['], helpCopy.earlier],
  [[']'], helpCopy.later],
  [['?'], helpCopy.thisHelp],
]

const ABOUT: readonly [string, string][] = [
  [ownAddress('/api/v1/docs'), helpCopy.apiReference],
  [ownAddress('/third-party-notices.txt'), helpCopy.notices],
  [ownAddress('/sbom.cdx.json'), helpCopy.billOfMaterials],
]

export default function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const goTo = PAGES.flatMap((page) => (page.menu ? [[['g', page.menu.key], page.title] as const] : []))
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={helpCopy.title}
      size="lg"
      closeButtonProps={{ 'aria-label': helpCopy.closeHelp }}
    >
      <h3 className={styles.heading}>{helpCopy.keyboard}</h3>
      <dl className="tiles gap-wrap" style={leastWidth(250)}>
        {[...KEYS, ...goTo].map(([keys, words]) => (
          <div key={words} className={`${styles.row} row gap-12`}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <h3 className={styles.heading}>{helpCopy.charts}</h3>
      <p className={styles.text}>{helpCopy.path}</p>
      <p className={styles.text}>{helpCopy.counters}</p>
      <p className={styles.text}>{helpCopy.gaps}</p>
      <Glossary />
      <h3 className={styles.heading}>{helpCopy.about}</h3>
      <ul className="list flex wrap gap-wrap">
        {ABOUT.map(([address, words]) => (
          <li key={address}>
            <a href={address} target="_blank" rel="noreferrer">
              {words}
            </a>
          </li>
        ))}
      </ul>
    </Modal>
  )
}
