/** Import directions of the front end. The pure parts stay pure; pages do not know one another. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'features-are-independent',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'charts-are-pure',
      comment: 'charts/ turns data into an ECharts option: no React, no fetch, no component.',
      severity: 'error',
      from: { path: '^src/charts/', pathNot: '[.]test[.]' },
      to: {
        path: '(^src/(api|app|components|features)/)|node_modules/(react|react-dom|@tanstack|@mantine|openapi-fetch)/',
      },
    },
    {
      name: 'lib-is-the-bottom',
      severity: 'error',
      from: { path: '^src/lib/' },
      to: { path: '^src/(api|app|charts|components|features)/' },
    },
    {
      name: 'copy-is-words-alone',
      comment: 'copy/ holds text: it knows no code, so that whoever words a page need not read any.',
      severity: 'error',
      from: { path: '^src/copy/', pathNot: '[.]test[.]' },
      to: { path: '.' },
    },
    {
      name: 'components-know-no-page',
      severity: 'error',
      from: { path: '^src/(components|api)/' },
      to: { path: '^src/(app|features)/' },
    },
    {
      name: 'only-the-registry-knows-features',
      severity: 'error',
      from: { path: '^src/app/', pathNot: '^src/app/pages[.]tsx?$' },
      to: { path: '^src/features/' },
    },
    {
      name: 'echarts-in-two-places',
      comment: 'Only the Chart component and the option builders touch ECharts, so that it stays one lazy chunk.',
      severity: 'error',
      from: { pathNot: '^src/(charts|components/chart)/' },
      to: { path: 'node_modules/(echarts|zrender)/' },
    },
    { name: 'not-resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.app.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'module', 'default', 'types'] },
  },
}
