/** The server's answers by name; `schema.d.ts` is generated from the server's own description. */
import type { components } from './schema';

type Schemas = components['schemas'];

export type Bin = Schemas['Bin'];
export type BoxView = Schemas['BoxView'];
export type BundleView = Schemas['BundleView'];
export type EdgeView = Schemas['EdgeView'];
export type EventPage = Schemas['EventPage'];
export type EventPlace = Schemas['EventPlace'];
export type EventRow = Schemas['EventRow'];
export type EventView = Schemas['EventView'];
export type ExecutionView = Schemas['ExecutionView'];
export type Finding = Schemas['Finding'];
export type Findings = Schemas['Findings'];
export type FoundInGraph = Schemas['FoundInGraphView'];
export type FoundThing = Schemas['FoundThingView'];
export type GraphView = Schemas['GraphView'];
export type HealthView = Schemas['HealthView'];
export type InputRow = Schemas['InputRow'];
export type Lane = Schemas['Lane'];
export type LineView = Schemas['LineView'];
export type Live = Schemas['Live'];
export type OperationAtLine = Schemas['OperationAtLine'];
export type Margin = Schemas['Margin'];
export type NodeView = Schemas['NodeView'];
export type Overview = Schemas['Overview'];
export type ProcessView = Schemas['ProcessView'];
export type RunList = Schemas['RunList'];
export type SourceList = Schemas['SourceList'];
export type SourceView = Schemas['SourceView'];
export type Span = Schemas['Span'];
export type Suggestions = Schemas['Suggestions'];
export type TensorView = Schemas['TensorView'];
export type Timeline = Schemas['Timeline'];
export type ValuesView = Schemas['ValuesView'];
export type WholeView = Schemas['WholeView'];
