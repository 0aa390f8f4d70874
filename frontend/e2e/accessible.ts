/** What axe finds on a page as it stands, by the rules of WCAG 2.2 AA. */

import { expect, type Page } from '@playwright/test'
import axe from 'axe-core'

export async function settled(page: Page) {
  await expect(page.locator('h1')).toBeVisible()
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await still(page)
}

/** Until nothing fades or slides any more: colors are measured as they stay. What moves for ever is not waited for. */
export async function still(page: Page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const moving = () =>
      document
        .getAnimations()
        .filter(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
    // What a frame starts is seen in the next.
    for (let quiet = 0; quiet < 3; quiet++) {
      await frame()
      const running = moving()
      if (running.length > 0) quiet = 0
      await Promise.allSettled(running.map(({ finished }) => finished))
    }
  })
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** What they find depends on the looks of a text alone: its inks, its ground, its letters. */
const INKS = ['color-contrast', 'link-in-text-block']
/** Rows far below are made as those above; looking at every one of them takes most of the time. */
const FAR_BELOW = 'tbody tr:nth-of-type(n+9)'

declare global {
  interface Window {
    axe: typeof axe
    /** Texts of the page in looks that were not seen before. */
    unseen: Element[]
  }
}

/** The rules that no color changes. */
async function ofContent(page: Page): Promise<string[]> {
  const without = Object.fromEntries(INKS.map((rule) => [rule, { enabled: false }]))
  return page.evaluate(
    async ([exclude, values, rules]) => {
      const { violations } = await window.axe.run(
        { exclude: [exclude] },
        { runOnly: { type: 'tag', values }, rules, resultTypes: ['violations'] },
      )
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    },
    [FAR_BELOW, RULES, without] as const,
  )
}

/** Looks in which axe found nothing wrong: the same again is not looked at again, on whatever page of this process. */
const seen = new Set<string>()

/** One text of each look, which is told by all that its contrast depends on: computed colors, letters, and the classes around it. */
function takeUnseen(page: Page): Promise<string[]> {
  return page.evaluate(
    ([far, known]) => {
      const AROUND = 6
      const before = new Set(known)
      const styles = new Map<Element, string>()
      const styleOf = (element: Element) => {
        const found = styles.get(element)
        if (found !== undefined) return found
        const { color, backgroundColor, backgroundImage, opacity } = getComputedStyle(element)
        const style = [
          element.localName,
          element.getAttribute('class'),
          color,
          backgroundColor,
          backgroundImage,
          opacity,
        ]
        const made = style.join(' ')
        styles.set(element, made)
        return made
      }
      const lookOf = (element: Element) => {
        const { fontSize, fontWeight, textDecorationLine } = getComputedStyle(element)
        const around: string[] = [
          document.documentElement.dataset.theme ?? '',
          fontSize,
          fontWeight,
          textDecorationLine,
        ]
        let above: Element | null = element
        for (let step = 0; above !== null && step < AROUND; step++) {
          around.push(styleOf(above))
          above = above.parentElement
        }
        return around.join('\n')
      }
      const texts = new Set<Element>(document.querySelectorAll('input, select, textarea, button, a[href]'))
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const { nodeValue, parentElement } = walker.currentNode
        if (nodeValue?.trim() && parentElement !== null) texts.add(parentElement)
      }
      const chosen = new Map<string, Element>()
      for (const text of texts) {
        if (text.closest(far) !== null || !text.checkVisibility({ visibilityProperty: true })) continue
        const look = lookOf(text)
        if (!before.has(look) && !chosen.has(look)) chosen.set(look, text)
      }
      window.unseen = [...chosen.values()]
      return [...chosen.keys()]
    },
    [FAR_BELOW, [...seen]] as const,
  )
}

async function ofInks(page: Page): Promise<string[]> {
  const looks = await takeUnseen(page)
  if (looks.length === 0) return []
  const found = await page.evaluate(async (values) => {
    const { violations } = await window.axe.run(
      { include: window.unseen },
      { runOnly: { type: 'rule', values }, resultTypes: ['violations'] },
    )
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  }, INKS)
  if (found.length === 0) for (const look of looks) seen.add(look)
  return found
}

async function withAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
}

export async function violations(page: Page): Promise<string[]> {
  await withAxe(page)
  return [...(await ofContent(page)), ...(await ofInks(page))]
}

/**
 * An open page follows the theme of its system, so that it need not be loaded twice; it ends in the dark. Themes change inks and
 * nothing else.
 */
export async function violationsInDarkAndLight(page: Page): Promise<string[]> {
  const all: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expect(page.locator(`html[data-theme="${colorScheme}"]`)).toBeAttached()
    await still(page)
    await withAxe(page)
    const here = [...(colorScheme === 'light' ? await ofContent(page) : []), ...(await ofInks(page))]
    all.push(...here.map((one) => `${colorScheme}: ${one}`))
  }
  return all
}
