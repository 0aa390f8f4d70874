import { expect, test } from 'vitest'
import { chunkGroups } from '../../chunks'

const MODULES = {
  'node_modules/react-dom/client.js': ['base'],
  'node_modules/echarts/lib/echarts.js': ['echarts'],
  'node_modules/@tanstack/react-table/build/index.js': ['tables'],
  'node_modules/@mantine/core/esm/components/TextInput/TextInput.mjs': ['fields'],
  'node_modules/@mantine/core/esm/components/Modal/Modal.mjs': ['boxes'],
  'node_modules/dayjs/dayjs.min.js': [],
  'src/kit/table/Table.tsx': ['tables', 'common'],
  'src/kit/table/Column.ts': [],
  'src/lib/units.ts': ['common'],
  'src/charts/bands.ts': ['panels'],
  'src/charts/numbers.ts': [],
  'src/kit/form/FormDialog.tsx': ['boxes'],
  'src/domain/cause.ts': ['objects'],
  'src/app/Help.tsx': ['common', 'frame-boxes'],
  'vite/preload-helper.js': [],
}

test.each([
  '/home/ada/gavel/frontend',
  '/home/ada/src/gavel/frontend',
  '/home/ada/src/kit/table/charts/bands.ts/domain/cause/frontend',
  '/srv/node_modules/react/gavel/frontend',
  '/srv/node_modules/@tanstack/src/app/Help.tsx/frontend',
  '/home/ada/my gävel (copy) [1] + $x^{2}|a.b/frontend',
  '/home/ada/gavel/frontend/',
  '/',
])('chunks do not depend on the folders above the checkout: %s', (root) => {
  const groups = chunkGroups(root)
  const chunks = (path: string) => groups.filter(({ test }) => test?.test(path)).map(({ name }) => name)
  for (const [module, names] of Object.entries(MODULES)) {
    expect([module, chunks(`${root.replace(/\/$/, '')}/${module}`)]).toEqual([module, names])
  }
})
