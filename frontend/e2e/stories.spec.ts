import type { APIRequestContext, Page } from '@playwright/test'
import { type Chapter, chapters, playing, TRUTH_URL } from './lab'
import { card, overviewOf } from './scenes'
import { expect, test } from './watch'

test.skip(TRUTH_URL === undefined, 'needs a lab that says what really happens in it')

/** How a sentence calls the layers. */
const CALLED: Record<string, RegExp> = {
  kernel: /\b(kernel|hypervisor)\b/i,
  san: /\bSAN\b/,
  array: /\barray\b/i,
}

interface Ref {
  id: number
  name: string
}

async function ask<Answer>(request: APIRequestContext, path: string, { window }: Pick<Chapter, 'window'>) {
  const answer = await request.get(
    `/api/v1/${path}${path.includes('?') ? '&' : '?'}from=${window.from}&to=${window.to}`,
  )
  if (!answer.ok()) throw new Error(`${path} answered ${answer.status()}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** Whose I/Os it is about: who causes it, else who spends most time in the guilty layer; with the host, the volume and the array. */
async function castOf(request: APIRequestContext, chapter: Chapter) {
  const taking = (kind: string, id: number) =>
    ask<{ vms: { subject: Ref }[]; hosts: { subject: Ref }[] }>(
      request,
      `${kind}/${id}/contributors?layer=${chapter.layer ?? 'kernel'}`,
      chapter,
    )
  const vms = (await taking('datastores', chapter.datastore.id)).vms.map(({ subject }) => subject)
  const vm = vms.find(({ name }) => chapter.culprits.includes(name)) ?? vms[0]
  if (!vm) throw new Error(`no VM takes part in “${chapter.title}”`)
  const [ran] = (await taking('vms', vm.id)).hosts
  const { volumes } = await ask<{ volumes: (Ref & { array: Ref })[] }>(
    request,
    `datastores/${chapter.datastore.id}`,
    chapter,
  )
  // Of vVols each disk has its own.
  const { vm_disks } = await ask<{ vm_disks: { volume: Ref | null }[] }>(request, `vms/${vm.id}`, chapter)
  const volume = volumes.find(({ id }) => vm_disks.some((disk) => disk.volume?.id === id))
  if (!ran || !volume) throw new Error(`“${chapter.title}” has no host or no volume`)
  return { vm, host: ran.subject, volume, array: volume.array }
}

const addressOf = (kind: string, { id }: Ref, { window, layer }: Chapter) =>
  `/${kind}/${id}?from=${window.from}&to=${window.to}&of=${layer ?? 'kernel'}`

/** The sentence of an object's page at the chapter's window. */
async function sentenceOn(page: Page, kind: string, thing: Ref, chapter: Chapter) {
  await page.goto(addressOf(kind, thing, chapter))
  await expect(page.locator('h1')).toHaveText(thing.name)
  return card(page, 'Diagnosis').getByRole('paragraph').locator('strong').first()
}

test('every page answers its question for the stories of the lab: who is guilty, and that nobody is', {
  tag: '@living',
}, async ({ page, request }) => {
  for (const chapter of await chapters(request)) {
    const { vm, host, volume, array } = await castOf(request, chapter)
    for (const [kind, thing] of [
      ['datastores', chapter.datastore],
      ['vms', vm],
      ['volumes', volume],
    ] as const)
      await test.step(`${chapter.title}: ${kind} ${thing.name}`, async () => {
        const sentence = await sentenceOn(page, kind, thing, chapter)
        await expect(sentence).toHaveText(chapter.layer === null ? /^Normal\b/ : (CALLED[chapter.layer] ?? /never/))
        // A volume is not slow because a host's queue is full: its page says what is only seen there.
        const { seen_only } = await ask<{ seen_only: boolean }>(request, `${kind}/${thing.id}/diagnosis`, chapter)
        if (seen_only) {
          expect([kind, chapter.layer]).toEqual(['volumes', 'kernel'])
          await expect(sentence).toContainText('only seen here')
        }
        const mark = chapter.layer === null || seen_only ? /^Normal$/ : /^(Elevated|High)$/
        await expect(card(page, 'Diagnosis').getByText(mark).first()).toBeVisible()
      })
    // Many others may be on a host or an array: they answer for all of them, and say who takes which part.
    for (const [kind, thing] of [
      ['hosts', host],
      ['arrays', array],
    ] as const)
      await test.step(`${chapter.title}: ${kind} ${thing.name}`, async () => {
        const { sentence } = await ask<{ sentence: { head: { text: string } } }>(
          request,
          `${kind}/${thing.id}/diagnosis`,
          chapter,
        )
        await expect(await sentenceOn(page, kind, thing, chapter)).toHaveText(sentence.head.text)
        const taking = page.getByRole('table', { name: 'VMs by latency share' })
        await expect(taking.getByRole('link').first()).toBeVisible()
        const its = taking.getByRole('link', { name: vm.name, exact: true })
        // Five are shown at once, whichever story they play in; where nothing is wrong it need not be one of them.
        if ((await its.count()) === 0) await page.getByRole('button', { name: /^Show all \d+ VMs$/ }).click()
        await expect(its).toBeVisible()
      })
  }
})

test('what is worst right now is what plays in the lab now, on the overview and on the wall', {
  tag: '@living',
}, async ({ page, context, request }) => {
  const wall = await context.newPage()
  await page.goto('/')
  await wall.goto('/wall/environment')
  const row = page.getByRole('table', { name: 'Datastores by excess outstanding I/O' }).locator('tbody tr').first()
  const first = wall.getByRole('list', { name: 'Worst datastores' }).getByRole('listitem').first()
  // A minute may end in between.
  await expect(async () => {
    const { items, from_at, to_at } = await overviewOf(request)
    const [from_ms, to_ms] = [Date.parse(from_at), Date.parse(to_at)]
    const guilty = (await playing(request, from_ms - 60_000, to_ms + 60_000)).filter(({ layer }) => layer !== null)
    const layersAt = (name: string) => guilty.filter(({ datastore }) => datastore === name).map(({ layer }) => layer)
    // Whoever loses time does so by a story, and by the layer that it makes guilty.
    const losing = items.filter(({ confidence }) => confidence !== null)
    for (const { subject, layer, other } of losing) {
      const named = [layer, other].flatMap((name) => name?.split('_') ?? [])
      expect(
        layersAt(subject.name).some((one) => one !== null && named.includes(one)),
        subject.name,
      ).toBe(true)
    }
    // A story that plays all the time is told, and whoever loses most comes first.
    const throughout = guilty.filter(({ from, to }) => from * 1000 <= from_ms && to * 1000 >= to_ms)
    for (const { datastore } of throughout) expect(losing.map(({ subject }) => subject.name)).toContain(datastore)
    const [worst] = items
    if (!worst) throw new Error('the ranking is empty')
    if (losing.length > 0) expect(worst.severity).toMatch(/^(elevated|high)$/)
    // The mark says the severity already.
    const said = worst.layer === null ? worst.sentence.detail : worst.sentence.text
    const cause = worst.severity === 'normal' ? null : worst.cause
    for (const [place, words] of [
      [row, said],
      [first, cause?.headline ?? said],
    ] as const) {
      await expect(place).toContainText(worst.subject.name, { timeout: 2000 })
      await expect(place).toContainText(words, { timeout: 2000 })
    }
  }).toPass({ timeout: 90_000 })
})
