// Looks at the overview for so many seconds and writes a line per update of the live stream: its revision, and the time (ms since
// the epoch) at which what the page asked for after it had been painted.
//
//   node e2e/painted.mjs http://127.0.0.1:8088 300
import { chromium } from '@playwright/test'

const [address, seconds] = [process.argv[2], Number(process.argv[3])]
const browser = await chromium.launch({ executablePath: process.env.GAVEL_CHROMIUM })
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
await page.exposeFunction('painted', (revision, at_ms) => process.stdout.write(`${revision} ${at_ms}\n`))
await page.addInitScript(() => {
  let newest = null
  const Plain = window.EventSource
  window.EventSource = class extends Plain {
    constructor(...words) {
      super(...words)
      this.addEventListener('update', ({ data }) => {
        newest = JSON.parse(data).revision
      })
    }
  }
  const ask = window.fetch
  window.fetch = async (...words) => {
    const revision = newest
    const answer = await ask(...words)
    if (revision !== null && revision === newest) {
      newest = null
      await answer.clone().arrayBuffer()
      // The frame in which the page draws it, and the one after: then it is on screen.
      setTimeout(
        () => requestAnimationFrame(() => requestAnimationFrame(() => window.painted(revision, Date.now()))),
        0,
      )
    }
    return answer
  }
})
await page.goto(address)
await page.waitForTimeout(seconds * 1000)
await browser.close()
