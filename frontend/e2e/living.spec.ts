import type { Locator, Page } from '@playwright/test'
import { askedSince, canKill, killApi, noteLive, pageNow, passed } from './living'
import { aJudged, card, openRaw } from './scenes'
import { expect, test } from './watch'

const LOST = 'No response from Gavel since'

/** The newest judged minute that a page shows. */
const newestOf = (page: Page) => page.locator('[title]', { hasText: /Analyzed through/ }).first()

/** Everything that a reader may have set on the page of a datastore, as the page shows it. */
async function setUp(page: Page) {
  const stack = card(page, 'Layers over time')
  await openRaw(page)
  await stack.scrollIntoViewIfNeeded()
  await expect(stack.locator('canvas')).toBeVisible()
  const hidden = stack.getByRole('button', { name: 'Array service', exact: true })
  await hidden.click()
  const bounds = stack.getByRole('group', { name: 'Layer whose range is shown' })
  const another = bounds.locator('button[aria-pressed="false"]').last()
  const chosen = bounds.getByRole('button', { name: await another.innerText(), exact: true })
  await chosen.click()
  await expect(chosen).toHaveAttribute('aria-pressed', 'true')
  const cursor = stack.getByText(/UTC$/).first()
  // What still comes in above moves the chart: the pointer is put where it stands by then.
  await expect(async () => {
    const box = await stack.locator('canvas').boundingBox()
    if (box === null) throw new Error('the chart has no place')
    await page.mouse.move(box.x + box.width / 2, box.y + 120)
    await page.mouse.move(box.x + box.width / 2 + 3, box.y + 121)
    await expect(cursor).toBeVisible({ timeout: 2_000 })
  }).toPass()
  return { hidden, chosen, cursor, tab: page.getByRole('tab', { name: 'Counters' }) }
}

interface Set {
  hidden: Locator
  chosen: Locator
  cursor: Locator
  tab: Locator
}

async function asSet(page: Page, { hidden, chosen, cursor, tab }: Set, top_px: number) {
  await expect(hidden).toHaveAttribute('aria-pressed', 'false')
  await expect(chosen).toHaveAttribute('aria-pressed', 'true')
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  await expect(cursor).toBeVisible()
  // What stands above it may have grown: what is being read stays where it is.
  expect(Math.abs((await topOf(page)) - top_px)).toBeLessThanOrEqual(1)
}

/** Where the chart that is being read stands on the screen. */
async function topOf(page: Page): Promise<number> {
  const box = await card(page, 'Layers over time').locator('canvas').boundingBox()
  if (box === null) throw new Error('the chart has no place')
  return box.y
}

test(
  'open pages say that the API is lost, go on by themselves when it is back, and follow its live stream',
  { tag: '@living' },
  async ({ page: overview, context, request, watched }, { config }) => {
    test.skip(!canKill, 'needs a Gavel of its own to kill')
    test.skip(config.workers > 1, 'every other test would meet the outage')
    test.setTimeout(300_000)
    watched.expected.push(/Failed to load resource|ERR_/)
    await noteLive(context)
    const { id, name } = await aJudged(request)
    const [datastore, wall] = [await context.newPage(), await context.newPage()]
    await overview.goto('/')
    await wall.goto('/wall/environment')
    await datastore.goto(`/datastores/${id}`)
    const rows = wall.getByRole('list', { name: 'Worst datastores' }).getByRole('listitem')
    await expect(rows.first()).toContainText(/ms|µs/)
    const atFirst = await newestOf(overview).getAttribute('title')
    const set = await setUp(datastore)
    const top_px = await topOf(datastore)
    const diagnosed = card(datastore, 'Diagnosis details')
    const windowAtFirst = await diagnosed
      .getByText(/\d\d:\d\d to \d\d:\d\d UTC$/)
      .first()
      .innerText()
    const all = [overview, datastore, wall]
    for (const page of all) await page.evaluate(() => document.body.setAttribute('data-never-reloaded', ''))

    await test.step('killed, it is told to be lost, and what was read stays', async () => {
      const notes = [datastore, wall].map((page) => page.getByRole('alert').filter({ hasText: LOST }))
      await killApi(async () => (await Promise.all(notes.map((note) => note.isVisible()))).every(Boolean))
      await expect(notes[0] as Locator).toContainText(/Showing data up to \d\d:\d\d:\d\d\./)
      await expect(datastore.locator('h1')).toHaveText(name)
      await expect(card(datastore, 'Layers over time').locator('canvas')).toBeAttached()
      await expect(rows).toHaveCount(6)
    })

    await test.step('the supervisor starts it again, and the pages go on without anybody', async () => {
      for (const page of all) {
        await expect(page.getByRole('alert').filter({ hasText: LOST })).toHaveCount(0)
        await expect(page.getByText('Live updates interrupted')).toHaveCount(0)
        await expect(page.locator('body[data-never-reloaded]')).toBeAttached()
      }
      await expect(wall.getByText(/\d of \d sources live/)).toBeVisible()
      await asSet(datastore, set, top_px)
    })

    await test.step('what is judged anew comes because the stream tells, and moves nothing', async () => {
      const asked = [
        [overview, '/api/v1/overview'],
        [datastore, `/api/v1/datastores/${id}/diagnosis`],
        [wall, '/api/v1/overview'],
      ] as const
      // What the end of the outage still asks for.
      await passed(datastore, 5000)
      const since = await Promise.all(asked.map(([page]) => pageNow(page)))
      const sinceThen = () => Promise.all(asked.map(([page, path], index) => askedSince(page, path, since[index] ?? 0)))
      await expect
        .poll(async () => (await sinceThen()).every(({ asks }) => asks > 0), { message: 'every page asks anew' })
        .toBe(true)
      await expect(newestOf(overview)).not.toHaveAttribute('title', atFirst ?? '', { timeout: 90_000 })
      await expect(diagnosed).not.toContainText(windowAtFirst, { timeout: 90_000 })
      // While the stream is up a page asks by itself every five minutes only.
      for (const found of await sinceThen()) expect(found).toMatchObject({ unasked: 0, missed: 0 })
      await asSet(datastore, set, top_px)
    })

    await test.step('the keys [ and ] move the window back and forth again', async () => {
      await datastore.keyboard.press('[')
      await expect(datastore).toHaveURL(/from=.*&to=/)
      const at = () => Date.parse(new URL(datastore.url()).searchParams.get('from') ?? '')
      const before = at()
      await datastore.keyboard.press('[')
      await expect.poll(at).toBeLessThan(before)
      const back = at()
      await datastore.keyboard.press(']')
      await expect.poll(at).toBeGreaterThan(back)
    })
  },
)
