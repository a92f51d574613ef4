import type { Level, Quiz } from './model.ts'

/** The quizzes of the documented world. Those of one skill name are the levels of one skill. */
export const QUIZZES: readonly Quiz[] = [
  quiz('quiz_react_beginner_components', 'Components and JSX', 'BEGINNER', 30, 'en de fr es pt-BR', [
    'JSX expressions',
    'Props',
    'Conditional rendering',
    'Lists and keys',
  ]),
  quiz('quiz_react_beginner_state', 'State and Events', 'BEGINNER', 30, 'en de es', [
    'useState',
    'Event handlers',
    'Lifting state up',
    'Controlled inputs',
  ]),
  quiz('quiz_javascript_beginner', 'Modern JavaScript', 'BEGINNER', 25, 'en de fr es', [
    'Modules',
    'Promises and async functions',
    'Destructuring',
    'Array methods',
  ]),
  quiz('quiz_react_intermediate_hooks', 'Hooks in Practice', 'INTERMEDIATE', 40, 'en de fr', [
    'useEffect and its dependencies',
    'Custom hooks',
    'useReducer',
    'Refs',
  ]),
  quiz('quiz_react_intermediate_routing', 'Routing and Data Loading', 'INTERMEDIATE', 35, 'en es', [
    'Nested routes',
    'Loaders',
    'Error boundaries',
  ]),
  quiz('quiz_react_intermediate_state', 'State and Events', 'INTERMEDIATE', 40, 'en de', [
    'useReducer and context',
    'Event delegation',
    'Derived state',
  ]),
  quiz('quiz_react_advanced_state', 'State and Events', 'ADVANCED', 45, 'en', [
    'State machines',
    'Concurrent updates',
    'External stores',
  ]),
  quiz('quiz_javascript_intermediate', 'Modern JavaScript', 'INTERMEDIATE', 40, 'en de', [
    'Iterators and generators',
    'Proxies',
    'Weak references',
  ]),
  quiz('quiz_react_advanced_performance', 'Rendering Performance', 'ADVANCED', 45, 'en de', [
    'Memoisation',
    'Transitions',
    'Profiling',
    'Code splitting',
  ]),
  quiz('quiz_react_advanced_testing', 'Testing React Applications', 'ADVANCED', 40, 'en', [
    'Queries by role',
    'Mocking the network',
    'Asynchronous interfaces',
  ]),
  quiz('quiz_react_expert_architecture', 'Front-End Architecture', 'EXPERT', 60, 'en', [
    'Module boundaries',
    'Server components',
    'Micro front ends',
  ]),
  quiz('quiz_react_expert_accessibility', 'Accessible Interfaces', 'EXPERT', 50, 'en fr', [
    'ARIA patterns',
    'Focus management',
    'Screen readers',
  ]),
  quiz('quiz_python_beginner', 'Python Essentials', 'BEGINNER', 30, 'en de fr es pt-BR', [
    'Data types',
    'Functions',
    'Comprehensions',
    'Exceptions',
  ]),
  quiz('quiz_sql_beginner_queries', 'Querying with SQL', 'BEGINNER', 30, 'en de fr es pt-BR', [
    'SELECT and WHERE',
    'Joins',
    'GROUP BY',
    'NULL',
  ]),
  quiz('quiz_python_intermediate_pandas', 'Data Frames with pandas', 'INTERMEDIATE', 45, 'en es pt-BR', [
    'Indexing',
    'Grouping and aggregation',
    'Merging',
    'Missing data',
  ]),
  quiz('quiz_python_intermediate_plots', 'Plots that Explain', 'INTERMEDIATE', 35, 'en', [
    'Choosing a chart',
    'matplotlib axes',
    'Colour and scale',
  ]),
  quiz('quiz_python_advanced_learning', 'Applied Machine Learning', 'ADVANCED', 60, 'en', [
    'Cross-validation',
    'Feature pipelines',
    'Class imbalance',
  ]),
  quiz('quiz_python_advanced_pipelines', 'Data Pipelines', 'ADVANCED', 50, 'en', [
    'Scheduling',
    'Idempotent loads',
    'Schema evolution',
  ]),
  quiz('quiz_linux_beginner', 'Linux on the Command Line', 'BEGINNER', 30, 'en de fr', [
    'Files and permissions',
    'Processes',
    'Pipes',
    'systemd units',
  ]),
  quiz('quiz_network_beginner', 'Networks for the Cloud', 'BEGINNER', 35, 'en de', [
    'CIDR notation',
    'DNS',
    'Load balancers',
    'TLS',
  ]),
  quiz('quiz_cloud_intermediate_containers', 'Containers and Kubernetes', 'INTERMEDIATE', 45, 'en de es', [
    'Images and layers',
    'Deployments',
    'Services',
    'Probes',
  ]),
  {
    ...quiz('quiz_cloud_intermediate_observability', 'Observability', 'INTERMEDIATE', 40, 'en', [
      'Metrics and labels',
      'Structured logs',
      'Traces',
      'Service level objectives',
    ]),
    ready: false,
  },
  quiz('quiz_cloud_advanced_incidents', 'Incident Response', 'ADVANCED', 50, 'en', [
    'Triage',
    'Roll-back strategies',
    'Blameless reviews',
  ]),
  quiz('quiz_cloud_advanced_terraform', 'Infrastructure as Code', 'ADVANCED', 45, 'en fr', [
    'State and locking',
    'Modules',
    'Drift',
  ]),
  quiz('quiz_sql_beginner_modelling', 'Modelling Tables', 'BEGINNER', 30, 'en de', [
    'Keys and constraints',
    'Normal forms',
    'One-to-many relations',
  ]),
  quiz('quiz_sql_intermediate_windows', 'Window Functions', 'INTERMEDIATE', 35, 'en', [
    'PARTITION BY',
    'Ranking',
    'Running totals',
  ]),
  quiz('quiz_sql_intermediate_tuning', 'Indexes and Query Plans', 'INTERMEDIATE', 40, 'en', [
    'B-tree indexes',
    'EXPLAIN',
    'Selectivity',
  ]),
]

function quiz(
  id: string,
  skillName: string,
  level: Level,
  minutes: number,
  languages: string,
  concepts: string[],
): Quiz {
  const enabledLanguages = languages.split(' ')
  return { id, skillName, level, ready: true, durationMinutes: minutes, enabledLanguages, conceptsTested: concepts }
}
