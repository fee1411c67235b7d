"""Which distribution on PyPI brings a module, for the names that people use.

A module whose distribution has the same name is listed as well: being in this list means that the name is known to be
the right one, and not one that only looks like it.
"""

from __future__ import annotations

_OTHER_NAME = """
Bio biopython
Crypto pycryptodome
Cryptodome pycryptodomex
Levenshtein levenshtein
MySQLdb mysqlclient
OpenGL PyOpenGL
OpenSSL pyOpenSSL
PIL pillow
PyPDF2 PyPDF2
Xlib python-xlib
absl absl-py
attr attrs
bs4 beautifulsoup4
cairo pycairo
cv2 opencv-python
dateutil python-dateutil
dns dnspython
docx python-docx
docx2txt docx2txt
dotenv python-dotenv
engineio python-engineio
faiss faiss-cpu
ffmpeg ffmpeg-python
fitz PyMuPDF
flask_cors Flask-Cors
flask_login Flask-Login
flask_migrate Flask-Migrate
flask_restful Flask-RESTful
flask_sqlalchemy Flask-SQLAlchemy
flask_wtf Flask-WTF
gi PyGObject
git GitPython
github PyGithub
gitlab python-gitlab
google.auth google-auth
google.cloud.bigquery google-cloud-bigquery
google.cloud.storage google-cloud-storage
google.generativeai google-generativeai
google.genai google-genai
google.oauth2 google-auth
google.protobuf protobuf
google_auth_oauthlib google-auth-oauthlib
googleapiclient google-api-python-client
graphviz graphviz
grpc grpcio
haystack haystack-ai
igraph igraph
imblearn imbalanced-learn
jose python-jose
jwt PyJWT
kafka kafka-python
ldap python-ldap
llama_cpp llama-cpp-python
lxml lxml
magic python-magic
markdown Markdown
mpl_toolkits matplotlib
multipart python-multipart
mysql mysql-connector-python
nacl PyNaCl
nmap python-nmap
odf odfpy
osgeo GDAL
paho paho-mqtt
parsel parsel
past future
pkg_resources setuptools
pptx python-pptx
psycopg2 psycopg2-binary
pycocotools pycocotools
pydub pydub
pylab matplotlib
pymysql PyMySQL
pypandoc pypandoc
pypdf pypdf
pyscreeze PyScreeze
pytesseract pytesseract
pythoncom pywin32
pywintypes pywin32
rest_framework djangorestframework
ruamel ruamel.yaml
ruamel.yaml ruamel.yaml
sentence_transformers sentence-transformers
serial pyserial
shapefile pyshp
skimage scikit-image
sklearn scikit-learn
skopt scikit-optimize
slugify python-slugify
snappy python-snappy
socketio python-socketio
socks PySocks
speech_recognition SpeechRecognition
sqlalchemy SQLAlchemy
telegram python-telegram-bot
tlz toolz
umap umap-learn
usb pyusb
vlc python-vlc
websocket websocket-client
win32api pywin32
win32com pywin32
wx wxPython
xgboost xgboost
yaml PyYAML
youtube_dl youtube_dl
yt_dlp yt-dlp
zmq pyzmq
"""

_SAME_NAME = """
aiofiles aiohttp aiosqlite altair anthropic anyio arrow astropy asyncpg autograd bokeh boto3 botocore bottle camelot
cartopy catboost celery certifi chardet chromadb click cloudscraper cohere colorama cryptography cvxpy cycler cython
dash dask datasets deepdiff diffusers django docker duckdb emoji evaluate fastapi feedparser filelock fiona flask
folium fonttools fpdf fpdf2 fsspec future gensim geopandas geopy gradio gspread gtts gym gymnasium h5py holidays
html2text httpx huggingface_hub humanize imageio inflect ipywidgets isodate jinja2 jieba joblib json5 jsonschema
kaleido keras keyboard kivy kiwisolver langchain langdetect librosa lightgbm litellm llvmlite loguru lightning lz4
matplotlib mechanize missingno mistralai mlflow moviepy mpmath mss msgpack mutagen mypy natsort nbformat nest_asyncio
networkx nltk nose notebook numba numexpr numpy ollama onnx onnxruntime openai openpyxl optuna orjson packaging pandas
papermill paramiko patsy pdfminer pdfplumber peewee pendulum pexpect pikepdf pint plotly plotnine polars pooch praw
prettytable prophet psutil psycopg pyarrow pyautogui pydantic pygame pygments pymc pymongo pynput pyperclip pyproj
pyqtgraph pyspark pytest pytz pyvista qrcode rapidfuzz rarfile rasterio redis regex reportlab requests rich scapy
scipy scrapy seaborn selenium sentencepiece shap shapely simpy six soundfile spacy starlette statsmodels streamlit
sympy tabula tabulate tenacity tensorflow termcolor textblob textual tiktoken tokenizers toml tomlkit torch torchaudio
torchvision tornado tqdm transformers trimesh trio tweepy typer tzdata tzlocal ujson unidecode urllib3 uvicorn
vaderSentiment wandb watchdog websockets weasyprint werkzeug wikipedia wordcloud xarray xlrd xlsxwriter xlwings xlwt
xmltodict yfinance
"""

_DIFFERENT_SPELLING = {
    "camelot": "camelot-py", "fpdf": "fpdf2", "pdfminer": "pdfminer.six", "tabula": "tabula-py", "gtts": "gTTS",
    "unidecode": "Unidecode", "huggingface_hub": "huggingface-hub", "nest_asyncio": "nest-asyncio",
}  # fmt: skip

DISTRIBUTIONS: dict[str, str] = {
    **{name: _DIFFERENT_SPELLING.get(name, name) for name in _SAME_NAME.split()},
    **dict(line.split() for line in _OTHER_NAME.split("\n") if line),  # type: ignore[misc]
}
