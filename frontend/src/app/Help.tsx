import { Kbd, Modal } from '@mantine/core'
import styles from './Help.module.css'
import { PAGES } from './pages'

const KEYS: readonly [readonly string[], string][] = [
  [['/'], 'Search for a datastore, VM, host or volume'],
  [['['], 'Half a time window earlier'],
  [[']'], 'Half a time window later'],
  [['?'], 'This help'],
]

export function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const goTo = PAGES.flatMap((page) => (page.menu ? [[['g', page.menu.key], page.title] as const] : []))
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Help"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close the help' }}
    >
      <h3 className={styles.heading}>Keyboard</h3>
      <dl className={styles.keys}>
        {[...KEYS, ...goTo].map(([keys, words]) => (
          <div key={words} className={styles.row}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <h3 className={styles.heading}>Reading the charts</h3>
      <p className={styles.text}>
        Areas are the array’s own times, stacked: service, queue, QoS and the time at its port. Lines are what the hosts
        measured: GAVG is all that the host saw of an I/O, DAVG the part after it left the host, KAVG the part in the
        kernel, QAVG the part in the kernel’s queue. The distance between DAVG and the stack is time that the array did
        not see.
      </p>
      <p className={styles.text}>
        Hatched grey is a gap: nothing was measured, and the cursor says why. “Not measured” is never a zero. Drag over
        a chart to zoom; the browser’s back button zooms out.
      </p>
    </Modal>
  )
}
