/** Rules of this repository for oxlint (.oxlintrc.json): syntax that must not be, found by selectors. */
const refuse = (message, ...selectors) => ({
  create: (context) => ({
    [selectors.join(', ')](node) {
      context.report({ node, message });
    },
  }),
});

export default {
  meta: { name: 'mailhook' },
  rules: {
    'literal-spread': refuse(
      'Write the properties or elements out instead of spreading a literal.',
      "SpreadElement[argument.type='ObjectExpression']",
      "SpreadElement[argument.type='ArrayExpression']",
    ),
    'engine-keys': refuse(
      'Only mailbox/ builds keys of the engine: use the methods of EngineKeys.',
      'MemberExpression[property.name=/^(base|shared)$/]',
      'Property[key.name=/^(base|shared)$/]',
    ),
    'engine-reads': refuse(
      'Only mailbox/ reads fields of hashes: use records.ts, accounts.ts or workers.ts there.',
      'CallExpression[callee.property.name=/^(hget|hmget|hgetall)(Buffer)?$/]',
    ),
    // The simulation (test/engine/simulation) replaces them.
    runtime: refuse(
      'Clocks, timers and random values come from the Runtime.',
      "MemberExpression[object.name='performance'][property.name='now']",
      "MemberExpression[object.name='Date'][property.name='now']",
      "NewExpression[callee.name='Date'][arguments.length=0]",
      "MemberExpression[object.name='Math'][property.name='random']",
      'CallExpression[callee.name=/^(set|clear)(Timeout|Interval|Immediate)$/]',
      'ImportDeclaration[source.value=/^node:(crypto|timers)/]',
    ),
  },
};
