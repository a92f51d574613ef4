import type { Level, Quiz } from '../generated/contract.ts'

/*
 * Two lines for each quiz: its identifier, level, minutes, languages and skill name, then the concepts that it tests.
 * Quizzes with the same skill name are the levels of one skill.
 */
const TABLE = `
  quiz_react_beginner_components | BEGINNER | 30 | en de fr es pt-BR | Components and JSX
    JSX expressions, Props, Conditional rendering, Lists and keys
  quiz_react_beginner_state | BEGINNER | 30 | en de es | State and Events
    useState, Event handlers, Lifting state up, Controlled inputs
  quiz_javascript_beginner | BEGINNER | 25 | en de fr es | Modern JavaScript
    Modules, Promises and async functions, Destructuring, Array methods
  quiz_react_intermediate_hooks | INTERMEDIATE | 40 | en de fr | Hooks in Practice
    useEffect and its dependencies, Custom hooks, useReducer, Refs
  quiz_react_intermediate_routing | INTERMEDIATE | 35 | en es | Routing and Data Loading
    Nested routes, Loaders, Error boundaries
  quiz_react_intermediate_state | INTERMEDIATE | 40 | en de | State and Events
    useReducer and context, Event delegation, Derived state
  quiz_react_advanced_state | ADVANCED | 45 | en | State and Events
    State machines, Concurrent updates, External stores
  quiz_javascript_intermediate | INTERMEDIATE | 40 | en de | Modern JavaScript
    Iterators and generators, Proxies, Weak references
  quiz_react_advanced_performance | ADVANCED | 45 | en de | Rendering Performance
    Memoisation, Transitions, Profiling, Code splitting
  quiz_react_advanced_testing | ADVANCED | 40 | en | Testing React Applications
    Queries by role, Mocking the network, Asynchronous interfaces
  quiz_react_expert_architecture | EXPERT | 60 | en | Front-End Architecture
    Module boundaries, Server components, Micro front ends
  quiz_react_expert_accessibility | EXPERT | 50 | en fr | Accessible Interfaces
    ARIA patterns, Focus management, Screen readers
  quiz_python_beginner | BEGINNER | 30 | en de fr es pt-BR | Python Essentials
    Data types, Functions, Comprehensions, Exceptions
  quiz_sql_beginner_queries | BEGINNER | 30 | en de fr es pt-BR | Querying with SQL
    SELECT and WHERE, Joins, GROUP BY, NULL
  quiz_python_intermediate_pandas | INTERMEDIATE | 45 | en es pt-BR | Data Frames with pandas
    Indexing, Grouping and aggregation, Merging, Missing data
  quiz_python_intermediate_plots | INTERMEDIATE | 35 | en | Plots that Explain
    Choosing a chart, matplotlib axes, Colour and scale
  quiz_python_advanced_learning | ADVANCED | 60 | en | Applied Machine Learning
    Cross-validation, Feature pipelines, Class imbalance
  quiz_python_advanced_pipelines | ADVANCED | 50 | en | Data Pipelines
    Scheduling, Idempotent loads, Schema evolution
  quiz_linux_beginner | BEGINNER | 30 | en de fr | Linux on the Command Line
    Files and permissions, Processes, Pipes, systemd units
  quiz_network_beginner | BEGINNER | 35 | en de | Networks for the Cloud
    CIDR notation, DNS, Load balancers, TLS
  quiz_cloud_intermediate_containers | INTERMEDIATE | 45 | en de es | Containers and Kubernetes
    Images and layers, Deployments, Services, Probes
  quiz_cloud_intermediate_observability | INTERMEDIATE | 40 | en | Observability
    Metrics and labels, Structured logs, Traces, Service level objectives
  quiz_cloud_advanced_incidents | ADVANCED | 50 | en | Incident Response
    Triage, Roll-back strategies, Blameless reviews
  quiz_cloud_advanced_terraform | ADVANCED | 45 | en fr | Infrastructure as Code
    State and locking, Modules, Drift
  quiz_sql_beginner_modelling | BEGINNER | 30 | en de | Modelling Tables
    Keys and constraints, Normal forms, One-to-many relations
  quiz_sql_intermediate_windows | INTERMEDIATE | 35 | en | Window Functions
    PARTITION BY, Ranking, Running totals
  quiz_sql_intermediate_tuning | INTERMEDIATE | 40 | en | Indexes and Query Plans
    B-tree indexes, EXPLAIN, Selectivity`

/** The one quiz of the default world that is not READY. */
const NOT_READY = 'quiz_cloud_intermediate_observability'

/** The quizzes of the default world. */
export const QUIZZES: readonly Quiz[] = [...TABLE.matchAll(/^ {2}(\S.*)\n {4}(.*)$/gm)].map(
  ([, facts = '', concepts = '']) => {
    const [id = '', level = '', minutes, languages = '', skillName = ''] = facts.split(' | ')
    return {
      id,
      skillName,
      level: level as Level,
      ready: id !== NOT_READY,
      durationMinutes: Number(minutes),
      enabledLanguages: languages.split(' '),
      conceptsTested: concepts.split(', '),
    }
  },
)
