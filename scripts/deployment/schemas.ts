import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { CronJob } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Pod, Secret, Service, ServiceAccount } from 'kubernetes-models/v1';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

/** A Kubernetes object, as in its YAML. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name?: string };
}

interface Model {
  new (data: never): { validate(): void };
}

const CORE = 'kubernetes-models';
const MODELS = new Map<string, { readonly from: string; readonly model: Model }>([
  ['v1 ConfigMap', { from: `${CORE}/v1`, model: ConfigMap }],
  ['v1 PersistentVolumeClaim', { from: `${CORE}/v1`, model: PersistentVolumeClaim }],
  ['v1 Pod', { from: `${CORE}/v1`, model: Pod }],
  ['v1 Secret', { from: `${CORE}/v1`, model: Secret }],
  ['v1 ServiceAccount', { from: `${CORE}/v1`, model: ServiceAccount }],
  ['v1 Service', { from: `${CORE}/v1`, model: Service }],
  ['apps/v1 Deployment', { from: `${CORE}/apps/v1`, model: Deployment }],
  ['apps/v1 StatefulSet', { from: `${CORE}/apps/v1`, model: StatefulSet }],
  ['batch/v1 CronJob', { from: `${CORE}/batch/v1`, model: CronJob }],
  ['autoscaling/v2 HorizontalPodAutoscaler', { from: `${CORE}/autoscaling/v2`, model: HorizontalPodAutoscaler }],
  ['networking.k8s.io/v1 Ingress', { from: `${CORE}/networking.k8s.io/v1`, model: Ingress }],
  ['networking.k8s.io/v1 NetworkPolicy', { from: `${CORE}/networking.k8s.io/v1`, model: NetworkPolicy }],
  ['policy/v1 PodDisruptionBudget', { from: `${CORE}/policy/v1`, model: PodDisruptionBudget }],
  ['keda.sh/v1alpha1 ScaledObject', { from: '@kubernetes-models/keda/keda.sh/v1alpha1', model: ScaledObject }],
  ...[ServiceMonitor, PrometheusRule].map(
    (model) =>
      [
        `monitoring.coreos.com/v1 ${model.kind}`,
        { from: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1', model },
      ] as const,
  ),
]);

const keyOf = ({ apiVersion, kind }: Manifest): string => `${apiVersion} ${kind}`;
const nameOf = (manifest: Manifest): string => `${manifest.kind} ${manifest.metadata?.name ?? ''}`;

/** Reads the objects of a YAML text, with numbers and booleans as such. */
export const readManifests = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((one) => one !== null);

/**
 * Checks the objects by the schemas of Kubernetes, KEDA and the Prometheus operator. The validators find missing fields
 * and values of a wrong type, the TypeScript types find unknown and misspelled fields. Returns the faults, or none if
 * all is well.
 */
export function schemaFaults(manifests: readonly Manifest[]): string[] {
  const unknown = manifests.filter((one) => !MODELS.has(keyOf(one)));
  const known = manifests.filter((one) => MODELS.has(keyOf(one)));
  return [
    ...unknown.map((one) => `${nameOf(one)}: there is no schema of ${keyOf(one)} here`),
    ...known.flatMap(invalidValues),
    ...strangeFields(known),
  ];
}

function invalidValues(manifest: Manifest): string[] {
  const found = MODELS.get(keyOf(manifest));
  try {
    if (found !== undefined) new found.model(manifest as never).validate();
    return [];
  } catch (error) {
    return [`${nameOf(manifest)}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** Lets the TypeScript compiler find unknown fields: it refuses fields of a literal that its type lacks. */
function strangeFields(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map((one, i) => {
    const from = MODELS.get(keyOf(one))?.from ?? '';
    return `import type { I${one.kind} as T${i} } from '${from}'; export const m${i}: T${i} = ${JSON.stringify(one)};`;
  });
  const file = `${process.cwd()}/manifests.ts`;
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.Node20,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022) : readSource(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0 }) => {
    const line = lines.join('\n').slice(0, start).split('\n').length - 1;
    const manifest = manifests[line];
    return `${manifest === undefined ? '' : nameOf(manifest)}: ${ts.flattenDiagnosticMessageText(messageText, '; ')}`;
  });
}
