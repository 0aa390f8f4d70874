import { settled, violationsInDarkAndLight } from './accessible'
import { ADMIN_STATE, card } from './scenes'
import { expect, test } from './watch'

test('without signing in the labels of owners can be seen, with how many VMs they reach', async ({ page }) => {
  await page.goto('/sources')
  const meanings = card(page, 'Owner and application')
  await meanings.scrollIntoViewIfNeeded()
  await expect(meanings.getByRole('combobox', { name: 'Owner label' })).toBeDisabled()
  await expect(meanings.getByText(/^\d+ of \d+ VMs have a value$/)).toHaveCount(2)
  await expect(meanings.getByText('Sign in to change the labels.')).toBeVisible()
  await settled(page)
  expect(await violationsInDarkAndLight(page)).toEqual([])
})

test('without labels, or where they cannot be read, the card says so', async ({ page, watched }) => {
  watched.expected.push(/503/)
  await page.route(/\/api\/v1\/labels$/, (route) => route.fulfill({ json: [] }))
  await page.goto('/sources')
  await expect(card(page, 'Owner and application').getByText('No labels yet')).toBeVisible()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.route(/\/api\/v1\/labels$/, (route) =>
    route.fulfill({ status: 503, json: { title: 'Unavailable', status: 503, detail: 'The database is starting.' } }),
  )
  await page.reload()
  await expect(card(page, 'Owner and application').getByText(/Could not load the labels/)).toBeVisible()
})

test.describe('signed in', () => {
  test.use({ storageState: ADMIN_STATE })

  test('a label is chosen by keyboard, and its preview comes before it is saved', async ({ page }) => {
    let saved: unknown = null
    await page.route(/\/api\/v1\/labels\/meanings$/, async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback()
      saved = route.request().postDataJSON()
      await route.fulfill({ json: saved as object })
    })
    await page.goto('/sources')
    const meanings = card(page, 'Owner and application')
    const owner = meanings.getByRole('combobox', { name: 'Owner label' })
    await expect(meanings.getByRole('button', { name: 'Save' })).toBeDisabled()
    const other = await owner.evaluate(
      (select: HTMLSelectElement) => [...select.options].find(({ value }) => value !== select.value)?.value ?? '',
    )
    await owner.selectOption(other)
    await expect(meanings.getByText(/^\d+ of \d+ VMs have a value$/)).toHaveCount(2)
    await settled(page)
    expect(await violationsInDarkAndLight(page)).toEqual([])
    await meanings.getByRole('button', { name: 'Save' }).press('Enter')
    await expect.poll(() => saved).toMatchObject({ owner: other })
  })
})
