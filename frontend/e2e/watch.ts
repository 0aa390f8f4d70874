/** A test that also fails on anything the browser complains about, in any of its pages: policy reports, script errors, console errors. */

import { type BrowserContext, test as base, expect } from '@playwright/test'

export interface Watched {
  /** Console errors that the test provokes on purpose. */
  expected: RegExp[]
}

/** Every complaint of every page that the context has or will have. */
async function listen(context: BrowserContext, complaints: string[], origin: string): Promise<void> {
  context.on('weberror', (error) => complaints.push(`script error: ${error.error().message}`))
  context.on('dialog', (dialog) => {
    complaints.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`)
  })
  // Everything comes from Gavel itself: its pages are used where there is no way out.
  context.on('request', (sent) => {
    const url = new URL(sent.url())
    const isOwn = url.origin === origin || url.protocol === 'data:' || url.protocol === 'blob:'
    if (!isOwn) complaints.push(`asked a stranger: ${sent.url()}`)
  })
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      // biome-ignore lint/suspicious/noConsole: the test listens to the console
      console.error(`policy report: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`)
    })
  })
}

export const test = base.extend<{ watched: Watched }>({
  watched: [
    async ({ browser, context, page, baseURL }, use) => {
      const complaints: string[] = []
      const watched: Watched = { expected: [] }
      const origin = new URL(baseURL ?? '').origin
      await listen(context, complaints, origin)
      // Contexts that a test makes itself are heard from before they have a page.
      const made = browser.newContext
      browser.newContext = async (options) => {
        const another = await made.call(browser, options)
        await listen(another, complaints, origin)
        return another
      }
      await use(watched)
      browser.newContext = made
      // Answers still on their way when a test ends are of no interest any more.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      const unexpected = complaints.filter((text) => !watched.expected.some((pattern) => pattern.test(text)))
      expect(unexpected).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }
