import { Kbd, Modal } from '@mantine/core'
import styles from './Help.module.css'
import { PAGES } from './pages'

const KEYS: readonly [readonly string[], string][] = [
  [['/'], 'Search for a datastore, VM, host, volume or array'],
  [['['], 'Half a time window earlier'],
  [[']'], 'Half a time window later'],
  [['?'], 'This help'],
]

export default function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
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
        An I/O goes from the guest through the kernel and the SAN to the array; every picture keeps this order, left to
        right and bottom to top. “Where the time went” and “Latency over time” show what Gavel made of both sides:
        whiskers and bands are the bounds inside which the time certainly lies, the line under a bar is what is expected
        at this hour, and hatched grey between two layers says that nobody measured where one ends and the other begins;
        dots in a layer’s colour say so of its parts. A ▲ before the time over expected means that it is surely over, a
        question mark after it that it may be.
      </p>
      <p className={styles.text}>
        “Latency of both sides” shows what was counted. Areas are the array’s own times: service, queue, QoS and the
        time at its port. Lines are what the hosts measured: GAVG is all that the host saw of an I/O, DAVG the part
        after it left the host, KAVG the part in the kernel, QAVG the part in the kernel’s queue.
      </p>
      <p className={styles.text}>
        Hatched grey over the whole height is a gap: nothing was measured, and the cursor says why. “Not measured” is
        never a zero. Drag over a chart to zoom; the browser’s back button zooms out.
      </p>
    </Modal>
  )
}
