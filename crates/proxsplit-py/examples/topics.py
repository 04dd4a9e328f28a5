"""Topics in text: what the documentation of scipy is about."""

import importlib
import inspect

import matplotlib.pyplot as plt
import numpy as np
from gallery import save
from sklearn.feature_extraction.text import TfidfVectorizer

from proxsplit import NMF

names = ["linalg", "optimize", "signal", "sparse", "stats", "fft", "interpolate", "spatial", "special", "ndimage"]
texts = []
for name in names:
    module = importlib.import_module(f"scipy.{name}")
    members = [getattr(module, member) for member in getattr(module, "__all__", [])]
    texts += [inspect.getdoc(member) or "" for member in members if callable(member)]
texts = [text for text in texts if len(text) > 400]

vectorizer = TfidfVectorizer(stop_words="english", min_df=8, max_df=0.3, token_pattern=r"[a-z]{4,}", sublinear_tf=True)
X = vectorizer.fit_transform(texts)  # a csr matrix, used as it is
model = NMF(n_components=8, random_state=0, max_iter=500).fit(X)
words = vectorizer.get_feature_names_out()
print(f"{X.shape[0]} texts, {X.shape[1]} words; {model.certificate_.words}")

figure, axes = plt.subplots(2, 4, figsize=(9, 4.2))
for axis, topic in zip(axes.flat, model.components_, strict=True):
    top = np.argsort(topic)[-8:]
    axis.barh(words[top], topic[top])
    axis.tick_params(labelsize=7)
    axis.set_xticks([])
    print(", ".join(words[top[::-1]]))
figure.tight_layout()
save(figure, "topics.svg")
