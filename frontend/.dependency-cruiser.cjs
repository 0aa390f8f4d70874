/** Import directions of the front end. The pure parts stay pure; pages do not know one another. */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'features-are-independent',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'charts-are-pure',
      comment: 'charts/ turns data into an ECharts option: no React, no fetch, no component, in its tests neither.',
      severity: 'error',
      from: { path: '^src/charts/' },
      to: {
        path: '(^src/(api|app|kit|domain|features)/)|node_modules/(react|react-dom|@tanstack|@mantine|openapi-fetch)/',
      },
    },
    {
      name: 'lib-is-the-bottom',
      severity: 'error',
      from: { path: '^src/lib/' },
      to: { path: '^src/(api|app|charts|kit|domain|features)/' },
    },
    {
      name: 'copy-is-words-alone',
      comment: 'copy/ holds text: it knows no code, so that whoever words a page need not read any.',
      severity: 'error',
      from: { path: '^src/copy/', pathNot: '[.]test[.]' },
      to: { path: '.' },
    },
    {
      name: 'kit-has-no-product-words',
      comment: 'kit/ would serve another product as it is: it knows no object, no diagnosis, no request and no page.',
      severity: 'error',
      from: { path: '^src/kit/' },
      to: { path: '^src/(api|app|domain|features)/' },
    },
    {
      name: 'domain-and-api-know-no-page',
      severity: 'error',
      from: { path: '^src/(domain|api)/' },
      to: { path: '^src/(app|features)/' },
    },
    {
      name: 'api-draws-nothing',
      severity: 'error',
      from: { path: '^src/api/' },
      to: { path: '^src/(charts|kit|domain)/' },
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
      from: { pathNot: '^src/(charts|kit/chart)/' },
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
