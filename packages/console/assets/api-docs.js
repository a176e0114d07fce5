// The documentation of the API: Swagger UI, with the names of schemas and with what assistive technology needs.

/** Shows the names of schemas in a union or a list, instead of `(object | object)`. */
const nameSchemas = () => ({
  wrapComponents: {
    JSONSchema202012KeywordType:
      (Original, { React, fn }) =>
      (props) => {
        const { schema } = props;
        const nameOf = (one) => one?.title ?? fn.jsonSchema202012.getType(one);
        const members = (schema?.oneOf ?? schema?.anyOf)?.map(nameOf);
        const text = schema?.type === 'array' ? `array<${nameOf(schema.items)}>` : members?.join(' | ');
        if (text === undefined) return React.createElement(Original, props);
        const className = 'json-schema-2020-12__attribute json-schema-2020-12__attribute--primary';
        return React.createElement('strong', { className }, text);
      },
  },
});

const LEVELS = { H2: 2, H3: 2, H4: 3, H5: 4 };

const REGIONS = { 'information-container': 'About the API', 'scheme-container': 'Server and token' };

/** Adds what Swagger UI leaves out: names of most lists to choose from, levels of headings, and landmarks. */
function amend(root) {
  for (const [name, label] of Object.entries(REGIONS)) {
    const region = root.querySelector(`.${name}`);
    region?.setAttribute('role', 'region');
    region?.setAttribute('aria-label', label);
  }
  for (const select of root.querySelectorAll('select:not([aria-label])'))
    select.setAttribute('aria-label', labelOf(select));
  for (const text of root.querySelectorAll('textarea:not([aria-label])')) text.setAttribute('aria-label', 'Body');
  // Each of them claims to be a region of the same name.
  for (const table of root.querySelectorAll('table[role]')) table.removeAttribute('role');
  for (const heading of root.querySelectorAll('h2, h3, h4, h5')) {
    const level = heading.classList.contains('title') ? 1 : LEVELS[heading.tagName];
    heading.setAttribute('aria-level', String(level));
  }
}

function labelOf(select) {
  if (select.id === 'servers') return 'Server';
  if (select.classList.contains('examples-select-element')) return 'Example';
  return select.closest('[data-param-name]')?.dataset.paramName ?? 'Value';
}

const root = document.getElementById('api');
document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches);
SwaggerUIBundle({
  url: '/openapi.json',
  domNode: root,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [nameSchemas],
  // The online validator is off, and the token stays in memory.
  validatorUrl: null,
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // With it, the button that opens an operation would contain a link.
  deepLinking: false,
  syntaxHighlight: { theme: 'tomorrow-night' },
});
new MutationObserver(() => amend(root)).observe(root, { childList: true, subtree: true });
