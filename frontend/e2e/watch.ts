/** A test that also fails on anything the browser complains about: policy reports, script errors, console errors. */

import { test as base, expect } from '@playwright/test'

export interface Watched {
  /** Console errors that the test provokes on purpose. */
  expected: RegExp[]
}

export const test = base.extend<{ watched: Watched }>({
  watched: [
    async ({ page }, use) => {
      const complaints: string[] = []
      const watched: Watched = { expected: [] }
      page.on('pageerror', (error) => complaints.push(`script error: ${error.message}`))
      page.on('dialog', (dialog) => {
        complaints.push(`a dialog opened: ${dialog.message()}`)
        void dialog.dismiss()
      })
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await page.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          // biome-ignore lint/suspicious/noConsole: the test listens to the console
          console.error(`policy report: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`)
        })
      })
      await use(watched)
      // Answers still on their way when a test ends are of no interest any more.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      const unexpected = complaints.filter((text) => !watched.expected.some((pattern) => pattern.test(text)))
      expect(unexpected).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }
