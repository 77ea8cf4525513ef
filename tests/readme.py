"README.md is nbs/index.ipynb as markdown; `make readme` writes it, a test compares it."
import json, re
from pathlib import Path

root = Path(__file__).resolve().parent.parent

def output(o):
    "One stored output as markdown: text as an indented block; pictures belong in files, so none here."
    text = ''.join(o.get('text', []) or o.get('data', {}).get('text/markdown', []))
    if text: return text.rstrip() if 'data' in o else '\n'.join('    '+line for line in text.rstrip().splitlines())
    plain = ''.join(o.get('data', {}).get('text/plain', []))
    return '\n'.join('    '+line for line in plain.splitlines())

def readme():
    "The whole text."
    parts = ['<!-- Made from nbs/index.ipynb by `make readme`: edit that. -->']
    for c in json.loads((root/'nbs/index.ipynb').read_text(encoding='utf-8'))['cells']:
        src = ''.join(c['source'])
        if re.search(r'^#\|\s*(hide|exec_doc|default_exp)', src, re.M): continue
        if c['cell_type'] == 'markdown':
            src = re.sub(r'\]\((images/[^)]+)\)', r'](nbs/\1)', src)
            parts.append(re.sub(r'\]\((?!http|nbs/|#|\.\./)([\w/]+\.ipynb)\)', r'](nbs/\1)', src).replace('](../', ']('))
        elif c['cell_type'] == 'code':
            parts.append('```python\n' + re.sub(r'^#\|.*\n', '', src, flags=re.M).strip() + '\n```')
            parts += filter(None, map(output, c['outputs']))
    return '\n\n'.join(parts) + '\n'

if __name__ == '__main__': (root/'README.md').write_text(readme(), encoding='utf-8')
