/** A file of the repository, and where it names the version. */
interface VersionPlace {
  readonly file: string;
  readonly pattern: RegExp;
}

const MANIFEST = /^ {2}"version": "([^"]+)"/m;
const PLACES: readonly VersionPlace[] = [
  ...['package.json', 'packages/producer/package.json', 'services/api/package.json'].map((file) => ({
    file,
    pattern: MANIFEST,
  })),
  { file: 'packages/core/src/version.ts', pattern: /'([^']+)'/ },
  { file: 'Dockerfile', pattern: /image\.version="([^"]+)"/ },
  { file: 'docker-compose.yml', pattern: /mailhook\/api:([\w.-]+)/ },
  { file: 'k8s/helm/Chart.yaml', pattern: /^appVersion: ([\w.-]+)/m },
  { file: 'k8s/base/kustomization.yaml', pattern: /newTag: '?([\w.-]+)/ },
];

/** What forbids a release of this tag, such as `v1.2.0`. Empty if nothing does. */
export function releaseFaults(tag: string, read: (file: string) => string): string[] {
  const version = /^v(\d+\.\d+\.\d+(?:-[\w.]+)?)$/.exec(tag)?.[1];
  if (version === undefined) return [`${tag} is no tag of a version, such as v1.2.0`];
  const others = PLACES.flatMap(({ file, pattern }) => {
    const found = pattern.exec(read(file))?.[1];
    return found === version ? [] : [`${file} names version ${found ?? '(none)'}, not ${version}`];
  });
  const changelog = read('CHANGELOG.md');
  return [
    ...others,
    ...(/^## Pending$/m.test(changelog)
      ? ['CHANGELOG.md still has a section "Pending": give it the version and the date']
      : []),
    ...(changesOf(version, changelog) === '' ? [`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)"`] : []),
  ];
}

/** The section of a version in the changelog, without its heading, or ''. */
export function changesOf(version: string, changelog: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.find((section) => /^(\S+) \(\d{4}-\d\d-\d\d\)$/m.exec(section)?.[1] === version);
  return own === undefined ? '' : own.slice(own.indexOf('\n')).trim();
}
